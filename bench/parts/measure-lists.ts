import { runWrk } from '../load/wrk.ts';
import { type CpuUse, cpuBetween, readCpu } from '../measure/cpu.ts';
import { waitUntilQuiet } from '../measure/quiet.ts';
import { median } from '../measure/statistics.ts';
import type { Lengths } from '../options.ts';
import type { Systems, SystemUnderTest } from '../system.ts';

export interface ListResult {
  readonly list: 'orders' | 'products';
  readonly floor: ListRun[];
  readonly platform: ListRun[];
  readonly ratio?: number;
}

export interface ListRun {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly failed: number;
  /** With the answer's headers. */
  readonly bytesPerAnswer: number;
  readonly cpu: CpuUse;
}

const connections = 8;

/** Both lists are full already: 100 orders of the same make, 20 products. */
export async function measureLists({ floor, platform }: Systems, lengths: Lengths): Promise<ListResult[]> {
  const results: ListResult[] = [];
  for (const list of ['orders', 'products'] as const) {
    const runs = { floor: [] as ListRun[], platform: [] as ListRun[] };
    for (const system of [floor, platform]) if (system) await readList(system, list, 1);
    for (let round = 0; round < lengths.rounds; round++) {
      runs.floor.push(await readList(floor, list, lengths.lists));
      if (platform) runs.platform.push(await readList(platform, list, lengths.lists));
    }
    const rate = (of: ListRun[]) => median(of.map((run) => run.perSecond));
    results.push({ list, ...runs, ...(platform ? { ratio: rate(runs.platform) / rate(runs.floor) } : {}) });
  }
  return results;
}

async function readList(system: SystemUnderTest, list: ListResult['list'], seconds: number): Promise<ListRun> {
  const url = list === 'orders' ? system.ordersUrl : system.productsUrl;
  await waitUntilQuiet();
  const before = readCpu(system.processes);
  const { accepted, perSecond, p50Ms, p99Ms, failed, bytesPerAnswer } = await runWrk(system, {
    script: 'reads',
    url,
    connections,
    seconds,
  });
  const cpu = cpuBetween(before, readCpu(system.processes), accepted);
  return { perSecond, p50Ms, p99Ms, failed, bytesPerAnswer, cpu };
}
