import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Infra } from '../infra.ts';
import { type CpuProfile, type ProfileSummary, summarizeProfile } from '../measure/cpu-profile.ts';
import { measureOrders, type OrdersRun } from '../measure/measure-orders.ts';
import type { Lengths } from '../options.ts';
import { startPlatform } from '../platform/start-platform.ts';

export interface PlatformProfile {
  readonly run: OrdersRun;
  readonly summary: ProfileSummary;
}

const connections = 32;

/** Orders at full speed with V8's sampling profiler on, which costs some of that speed; only the load's own time counts. */
export async function profilePlatform(infra: Infra, products: number, lengths: Lengths): Promise<PlatformProfile> {
  const profileDir = join(infra.directory, 'profile');
  const platform = await startPlatform(infra, products, ['--cpu-prof', `--cpu-prof-dir=${profileDir}`]);
  await measureOrders(platform.system, connections, lengths.warmUp);
  const fromUs = monotonicUs();
  const run = await measureOrders(platform.system, connections, lengths.orders);
  const toUs = fromUs + lengths.orders * 1e6;
  await platform.stop();
  return {
    run,
    summary: summarizeProfile(readMainThread(profileDir), fromUs, toUs, new URL('../../', import.meta.url)),
  };
}

function monotonicUs(): number {
  return Number(process.hrtime.bigint() / 1000n);
}

/** Named CPU.<day>.<time>.<pid>.<thread>.<number>.cpuprofile; thread 0 is the one that runs the services. */
function readMainThread(directory: string): CpuProfile {
  const name = readdirSync(directory).find((file) => /^CPU\.\d+\.\d+\.\d+\.0\.\d+\.cpuprofile$/.test(file));
  if (name === undefined) throw new Error('The platform left no CPU profile: it did not end by itself');
  return JSON.parse(readFileSync(join(directory, name), 'utf8')) as CpuProfile;
}
