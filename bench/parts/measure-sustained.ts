import type { Infra } from '../infra.ts';
import { type Observed, watchLag } from '../measure/lag.ts';
import { measureOrders, type OrdersRun } from '../measure/measure-orders.ts';
import { median } from '../measure/statistics.ts';
import type { Systems } from '../system.ts';

export interface SustainedResult {
  readonly connections: number;
  readonly seconds: number;
  readonly floor: OrdersRun[];
  readonly platform?: OrdersRun;
  /** Orders per second, platform over floor. */
  readonly ratio?: number;
  readonly observed?: Observed;
}

const connections = 64;

/**
 * Orders for minutes, and what piles up meanwhile. The floor runs before and after, a quarter of the time each, so that a
 * machine that slows down meanwhile slows both.
 */
export async function measureSustained(
  { floor, platform }: Systems,
  infra: Infra,
  seconds: number,
): Promise<SustainedResult> {
  const beside = Math.ceil(seconds / 4);
  const before = await measureOrders(floor, connections, beside);
  if (platform === undefined) return { connections, seconds, floor: [before] };
  const { ours, observed } = await observe(infra, platform.processes.node[0] ?? 0, () =>
    measureOrders(platform, connections, seconds),
  );
  const after = await measureOrders(floor, connections, beside);
  const ratio = ours.perSecond / median([before.perSecond, after.perSecond]);
  return { connections, seconds, floor: [before, after], platform: ours, ratio, observed };
}

async function observe(infra: Infra, pid: number, load: () => Promise<OrdersRun>) {
  const watch = await watchLag(infra, pid);
  try {
    const ours = await load();
    return { ours, observed: await watch.stop() };
  } catch (err) {
    await watch.stop().catch(() => undefined);
    throw err;
  }
}
