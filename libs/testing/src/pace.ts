import { setTimeout as sleep } from 'node:timers/promises';

/** Begins `count` works, so many a second whatever became of those before, and resolves with what each resolved with. */
export async function atRate<T>(count: number, perSecond: number, begin: (n: number) => Promise<T>): Promise<T[]> {
  const begun: Promise<T>[] = [];
  const startedMs = performance.now();
  for (let n = 0; n < count; n++) {
    await sleep(Math.max(0, startedMs + (n * 1_000) / perSecond - performance.now()));
    const work = begin(n);
    // Heard of at the end; until then nobody waits for it.
    work.catch(() => undefined);
    begun.push(work);
  }
  return await Promise.all(begun);
}

/** Does something `count` times within about `totalMs`: each time at a random moment of its own share of that time. */
export async function atRandomMoments(count: number, totalMs: number, act: () => Promise<void>): Promise<void> {
  const shareMs = totalMs / count;
  for (let n = 0; n < count; n++) {
    const startedMs = performance.now();
    await sleep(Math.random() * shareMs);
    await act();
    await sleep(Math.max(0, shareMs - (performance.now() - startedMs)));
  }
}

/** How a double answers slowly: the value, after `ms` milliseconds of real time. Tests wait with `eventually` instead. */
export const answerAfter = <T>(ms: number, value: T): Promise<T> => sleep(ms, value);
