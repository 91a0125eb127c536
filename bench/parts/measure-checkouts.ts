import { type LoadResult, runWrk } from '../load/wrk.ts';
import { type CpuUse, cpuBetween, readCpu } from '../measure/cpu.ts';
import { measureOrders, type OrdersRun } from '../measure/measure-orders.ts';
import { waitUntilQuiet } from '../measure/quiet.ts';
import { readTransactions, transactionsBetween } from '../measure/transactions.ts';
import type { Lengths } from '../options.ts';
import type { Platform } from '../platform/start-platform.ts';

export interface CheckoutsRun extends LoadResult {
  readonly paidPerSecond: number;
  /** Of each paid checkout, until every consumer had caught up. */
  readonly cpu: CpuUse;
  /** Committed transactions for each paid checkout, by service; a statement outside of a transaction counts as one. */
  readonly transactions: Record<string, number>;
  /** List, metrics and receiver have the same orders, and none that was paid is missing. */
  readonly complete: boolean;
}

export interface CheckoutsResult {
  readonly buyers: number;
  /** Orders recorded by the seller's own code, on the same platform in the same minutes. */
  readonly recorded: OrdersRun[];
  readonly paid: CheckoutsRun[];
  /** Paid checkouts per second over recorded orders per second; each round's own. */
  readonly ratios: number[];
}

/** Buyers open and pay as fast as they are answered, beside the recorded order path; both take turns. */
export async function measureCheckouts(
  platform: Platform,
  postgresUrl: string,
  lengths: Lengths,
): Promise<CheckoutsResult[]> {
  await payCheckouts(platform, postgresUrl, 8, lengths.warmUp);
  const byBuyers: CheckoutsResult[] = [];
  for (const buyers of [8, 32]) {
    const result: CheckoutsResult = { buyers, recorded: [], paid: [], ratios: [] };
    for (let round = 0; round < lengths.rounds; round++) {
      const recorded = await measureOrders(platform.system, buyers, lengths.orders);
      const paid = await payCheckouts(platform, postgresUrl, buyers, lengths.orders);
      result.recorded.push(recorded);
      result.paid.push(paid);
      result.ratios.push(paid.paidPerSecond / recorded.perSecond);
    }
    byBuyers.push(result);
  }
  return byBuyers;
}

async function payCheckouts(
  { system, shop }: Platform,
  postgresUrl: string,
  buyers: number,
  seconds: number,
): Promise<CheckoutsRun> {
  await waitUntilQuiet();
  const watch = await shop.watch();
  const before = await readTransactions(postgresUrl);
  const cpuBefore = readCpu(system.processes);
  const { handle, productSlug, checkoutUrl: url } = shop;
  const load = await runWrk(system, { script: 'checkouts', url, connections: buyers, seconds, handle, productSlug });
  const counts = await watch.waitUntilDrained(load.paid);
  const cpu = cpuBetween(cpuBefore, readCpu(system.processes), load.paid);
  const after = await readTransactions(postgresUrl);
  const listed = await watch.countListed();
  return {
    ...load,
    paidPerSecond: load.paid / seconds,
    cpu,
    transactions: transactionsBetween(before, after, listed),
    complete: listed >= load.paid && counts.inMetrics === listed && counts.atReceiver === listed,
  };
}
