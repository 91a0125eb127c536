import { measureOrders, type OrdersRun } from '../measure/measure-orders.ts';
import type { Lengths } from '../options.ts';
import type { Systems } from '../system.ts';

export interface ConnectionsResult {
  readonly connections: number;
  readonly floor: OrdersRun[];
  readonly platform: OrdersRun[];
  /** Orders per second, platform over floor; each round's own. */
  readonly ratios: number[];
}

export async function measureOrderThroughput(
  { floor, platform }: Systems,
  lengths: Lengths,
): Promise<ConnectionsResult[]> {
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
  return byConnections;
}
