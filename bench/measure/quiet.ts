import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { machineBusySeconds } from './cpu.ts';

const checkMs = 250;
/** Idle services take 1 to 3 % of two cores with their polls. */
const quietShare = 0.15;
const giveUpAfterMs = 8_000;

/** Waits a little for other people's work to end; a measurement says how much of it there was nevertheless. */
export async function waitUntilQuiet(): Promise<void> {
  const started = performance.now();
  while (performance.now() - started < giveUpAfterMs) {
    const [beforeMs, before] = [performance.now(), machineBusySeconds()];
    await sleep(checkMs);
    const seconds = (performance.now() - beforeMs) / 1000;
    if ((machineBusySeconds() - before) / (seconds * cpus().length) <= quietShare) return;
  }
}
