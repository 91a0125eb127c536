import { type LoadResult, type McpCall, runWrk } from '../load/wrk.ts';
import { mcpUrl, measureOrders } from '../measure/measure-orders.ts';
import { waitUntilQuiet } from '../measure/quiet.ts';
import { median } from '../measure/statistics.ts';
import type { Lengths } from '../options.ts';
import type { SystemUnderTest } from '../system.ts';

/** One tool beside the same operation over HTTP, in turns. */
export interface McpResult {
  readonly tool: McpCall['tool'];
  readonly http: McpRun[];
  readonly mcp: readonly { readonly revision: McpCall['revision']; readonly runs: McpRun[]; readonly ratio: number }[];
}

export type McpRun = Pick<LoadResult, 'perSecond' | 'p50Ms' | 'p99Ms' | 'failed' | 'bytesPerAnswer'>;

const connections = 8;
const revisions = ['2026-07-28', '2025-11-25'] as const;

/** A page of as many orders as a tool lists, and orders; both until the slower kind of client has had its rounds. */
export async function measureMcp(system: SystemUnderTest, lengths: Lengths): Promise<McpResult[]> {
  return [
    await compare('list_orders', lengths, (seconds, mcp) => readPage(system, seconds, mcp)),
    await compare('create_order', lengths, (seconds, mcp) => placeOrders(system, seconds, mcp)),
  ];
}

/** A tool refuses with 200 too: what was answered has to be in the list. */
async function placeOrders(system: SystemUnderTest, seconds: number, mcp?: McpCall): Promise<McpRun> {
  const run = await measureOrders(system, connections, seconds, mcp);
  if (run.drained?.complete !== true) throw new Error('orders that were answered are missing');
  return run;
}

type Measure = (seconds: number, mcp?: McpCall) => Promise<McpRun>;

async function compare(tool: McpCall['tool'], lengths: Lengths, measure: Measure): Promise<McpResult> {
  const sides = [undefined, ...revisions.map((revision) => ({ tool, revision }))];
  const runs = sides.map((): McpRun[] => []);
  for (const side of sides) await measure(1, side);
  for (let round = 0; round < lengths.rounds + 1; round++) {
    for (const [index, side] of sides.entries()) runs[index]?.push(await measure(lengths.lists, side));
  }
  const rate = (of: readonly McpRun[] = []) => median(of.map(({ perSecond }) => perSecond));
  const [http = [], ...mcp] = runs;
  return {
    tool,
    http,
    mcp: revisions.map((revision, index) => ({
      ...{ revision, runs: mcp[index] ?? [] },
      ratio: rate(mcp[index]) / rate(http),
    })),
  };
}

async function readPage(system: SystemUnderTest, seconds: number, mcp?: McpCall): Promise<McpRun> {
  await waitUntilQuiet();
  const how = mcp
    ? { script: 'mcp' as const, url: mcpUrl(system), mcp }
    : { script: 'reads' as const, url: `${system.ordersUrl}?limit=10` };
  const run = await runWrk(system, { ...how, connections, seconds });
  if (run.bytesPerAnswer < 2_000) throw new Error('answers hold no page of orders');
  return run;
}
