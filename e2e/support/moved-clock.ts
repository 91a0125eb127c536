import { readFileSync } from 'node:fs';

// Loaded into a service's process before its own code (`--import`): it lives so many milliseconds after real time as stand
// in the file. All times of a service come from `Date.now`; its timers, and the leases in its database, run in real time.
const file = process.env.CLOCK_OFFSET_FILE;
if (file === undefined) throw new Error('CLOCK_OFFSET_FILE is not set');
const read = (): number => Number(readFileSync(file, 'utf8'));

const staleAfterMs = 2;
let [offsetMs, readAtMs] = [read(), performance.now()];
const realNow = Date.now;
Date.now = () => {
  const atMs = performance.now();
  if (atMs - readAtMs > staleAfterMs) [offsetMs, readAtMs] = [read(), atMs];
  return realNow() + offsetMs;
};
