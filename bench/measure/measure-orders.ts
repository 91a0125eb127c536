import { type LoadResult, type McpCall, runWrk } from '../load/wrk.ts';
import type { DrainedCounts, SystemUnderTest } from '../system.ts';
import { type CpuUse, cpuBetween, readCpu } from './cpu.ts';
import { waitUntilQuiet } from './quiet.ts';

export interface OrdersRun extends LoadResult {
  /** Until every consumer had caught up, so that work put off until later counts too. */
  readonly cpu: CpuUse;
  /** Of the platform only. */
  readonly drained?: Drained;
}

interface Drained extends DrainedCounts {
  /** Orders in the list: those answered, and up to one per connection whose answer wrk did not wait for. */
  readonly listed: number;
  /** List, metrics and receiver have the same orders, and none that was answered is missing. */
  readonly complete: boolean;
}

/**
 * Orders as fast as so many connections get them answered, then until every consumer is done with them.
 * @param mcp where they are placed by a tool; over HTTP otherwise
 */
export async function measureOrders(
  system: SystemUnderTest,
  connections: number,
  seconds: number,
  mcp?: McpCall,
): Promise<OrdersRun> {
  await waitUntilQuiet();
  const watch = await system.watchOrders?.();
  const before = readCpu(system.processes);
  const how = mcp
    ? { script: 'mcp' as const, url: mcpUrl(system), mcp }
    : { script: 'orders' as const, url: system.ordersUrl };
  const load = await runWrk(system, { ...how, connections, seconds });
  const counts = await watch?.waitUntilDrained(load.accepted);
  const cpu = cpuBetween(before, readCpu(system.processes), load.accepted);
  if (watch === undefined || counts === undefined) return { ...load, cpu };
  const listed = await watch.countListed();
  const complete = listed >= load.accepted && counts.inMetrics === listed && counts.atReceiver === listed;
  return { ...load, cpu, drained: { ...counts, listed, complete } };
}

export const mcpUrl = ({ ordersUrl }: SystemUnderTest): string => new URL('/api/mcp', ordersUrl).href;
