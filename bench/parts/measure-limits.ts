import type { Infra } from '../infra.ts';
import { payFromManyAddresses } from '../load/pay-from-many-addresses.ts';
import { type CpuUse, cpuBetween, readCpu } from '../measure/cpu.ts';
import { measureOrders, type OrdersRun } from '../measure/measure-orders.ts';
import { waitUntilQuiet } from '../measure/quiet.ts';
import type { Lengths } from '../options.ts';
import { type Platform, startPlatform } from '../platform/start-platform.ts';

/** What the limits cost while they are not reached: the same platform with and without, in turns. */
export interface LimitsResult {
  readonly connections: number;
  /** Orders that were recorded and whose webhooks were delivered. */
  readonly orders: Sides<OrdersRun>;
  /** Checkouts that were opened and paid, each from an address of its own. */
  readonly checkouts: Sides<PaidRun>;
}

export interface PaidRun {
  readonly paidPerSecond: number;
  readonly cpu: CpuUse;
  /** List, metrics and receiver have the orders of all that were paid. */
  readonly complete: boolean;
}

export interface Sides<Run> {
  readonly without: Run[];
  readonly with: Run[];
}

const connections = 8;
const sides = ['without', 'with'] as const;

/** Every limit is counted, at values that no load reaches. */
const settings = {
  without: { RATE_LIMIT_PER_MINUTE: '0', WEBHOOKS_PER_SECOND: '0' },
  with: { RATE_LIMIT_PER_MINUTE: '1000000', WEBHOOKS_PER_SECOND: '1000000' },
};

export async function measureLimits(infra: Infra, products: number, lengths: Lengths): Promise<LimitsResult> {
  const result: LimitsResult = {
    connections,
    orders: { without: [], with: [] },
    checkouts: { without: [], with: [] },
  };
  for (let round = 0; round < lengths.rounds + 1; round++) {
    // The second side finds more rows: each side comes second every other round.
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      const platform = await startPlatform(infra, products, [], settings[side]);
      try {
        await measureOrders(platform.system, connections, lengths.warmUp);
        result.orders[side].push(await measureOrders(platform.system, connections, lengths.orders));
        await measurePaid(platform, lengths.warmUp);
        result.checkouts[side].push(await measurePaid(platform, lengths.orders));
      } finally {
        await platform.stop();
      }
    }
  }
  return result;
}

async function measurePaid({ shop, system }: Platform, seconds: number): Promise<PaidRun> {
  await waitUntilQuiet();
  const watch = await shop.watch();
  const before = readCpu(system.processes);
  const paid = await payFromManyAddresses(shop, connections, seconds);
  const counts = await watch.waitUntilDrained(paid);
  const cpu = cpuBetween(before, readCpu(system.processes), paid);
  const listed = await watch.countListed();
  const complete = listed === paid && counts.inMetrics === listed && counts.atReceiver === listed;
  return { paidPerSecond: paid / seconds, cpu, complete };
}
