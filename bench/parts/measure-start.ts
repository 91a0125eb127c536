import { join } from 'node:path';
import { residentMemory } from '../measure/cpu.ts';
import { waitUntilQuiet } from '../measure/quiet.ts';
import { startStandalone } from '../platform/start-platform.ts';

export interface StartTimes {
  /** Seconds from starting the process to its `ready` line, with embedded servers. */
  readonly emptySeconds: number;
  readonly existingSeconds: number;
  readonly stopSeconds: number;
  /** Of the Node process, without its servers, before any load. */
  readonly residentMb: number;
}

/** What `npm start` runs: with its own PostgreSQL and nats-server, on an empty directory and then on the same one. */
export async function measureStart(directory: string): Promise<StartTimes> {
  const dataDir = join(directory, 'start');
  await waitUntilQuiet();
  const first = await startStandalone(dataDir, {});
  const stopping = performance.now();
  await first.stop();
  const stopSeconds = (performance.now() - stopping) / 1000;
  const second = await startStandalone(dataDir, {});
  const { nowMb: residentMb } = residentMemory(second.pid);
  await second.stop();
  return {
    emptySeconds: first.readyAfterMs / 1000,
    existingSeconds: second.readyAfterMs / 1000,
    stopSeconds,
    residentMb,
  };
}
