import { measureOrders, type OrdersRun } from '../measure/measure-orders.ts';
import { median } from '../measure/statistics.ts';
import type { Lengths } from '../options.ts';
import type { Systems } from '../system.ts';

export interface OrderThroughput {
  readonly byConnections: ConnectionsResult[];
  readonly sustained: SustainedResult;
}

interface ConnectionsResult {
  readonly connections: number;
  readonly floor: OrdersRun[];
  readonly platform: OrdersRun[];
  /** Orders per second, platform over floor; each round's own. */
  readonly ratios: number[];
}

interface SustainedResult {
  readonly floor: OrdersRun[];
  readonly platform?: OrdersRun;
  readonly ratio?: number;
}

const sustainedConnections = 32;

export async function measureOrderThroughput({ floor, platform }: Systems, lengths: Lengths): Promise<OrderThroughput> {
  const byConnections: ConnectionsResult[] = [];
  for (const connections of [1, 8, 32]) {
    const result: ConnectionsResult = { connections, floor: [], platform: [], ratios: [] };
    for (let round = 0; round < lengths.rounds; round++) {
      const bare = await measureOrders(floor, connections, lengths.orders);
      result.floor.push(bare);
      if (platform === undefined) continue;
      const ours = await measureOrders(platform, connections, lengths.orders);
      result.platform.push(ours);
      result.ratios.push(ours.perSecond / bare.perSecond);
    }
    byConnections.push(result);
  }
  return { byConnections, sustained: await measureSustained({ floor, platform }, lengths.sustained) };
}

/** The floor runs before and after, so that a machine that slows down meanwhile slows both. */
async function measureSustained({ floor, platform }: Systems, seconds: number): Promise<SustainedResult> {
  const before = await measureOrders(floor, sustainedConnections, Math.ceil(seconds / 2));
  const ours = platform && (await measureOrders(platform, sustainedConnections, seconds));
  const after = await measureOrders(floor, sustainedConnections, Math.ceil(seconds / 2));
  if (ours === undefined) return { floor: [before, after] };
  const ratio = ours.perSecond / median([before.perSecond, after.perSecond]);
  return { floor: [before, after], platform: ours, ratio };
}
