import { setTimeout as sleep } from 'node:timers/promises';

/** Starts `count` jobs at a fixed rate, whatever became of earlier ones, and resolves with the result of each. */
export async function atRate<T>(count: number, perSecond: number, begin: (n: number) => Promise<T>): Promise<T[]> {
  const begun: Promise<T>[] = [];
  const startedMs = performance.now();
  for (let n = 0; n < count; n++) {
    await sleep(Math.max(0, startedMs + (n * 1_000) / perSecond - performance.now()));
    const work = begin(n);
    // A failure is reported at the end; until then it must not count as unhandled.
    work.catch(() => undefined);
    begun.push(work);
  }
  return await Promise.all(begun);
}

/** Does something `count` times within about `totalMs`: each time at a random moment of its own part of that time. */
export async function atRandomMoments(count: number, totalMs: number, act: () => Promise<void>): Promise<void> {
  const shareMs = totalMs / count;
  for (let n = 0; n < count; n++) {
    const startedMs = performance.now();
    await sleep(Math.random() * shareMs);
    await act();
    await sleep(Math.max(0, shareMs - (performance.now() - startedMs)));
  }
}

/** How a double answers slowly: the value, after `ms` milliseconds of real time. Tests wait for points instead. */
export const answerAfter = <T>(ms: number, value: T): Promise<T> => sleep(ms, value);
