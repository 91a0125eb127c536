import { setImmediate, setTimeout } from 'node:timers/promises';

/**
 * Lets real time pass where time is what happens: the pause of a client between its requests, a deadline that must be over.
 * What production code does is waited for with `announced`, never so.
 * @param signal ends it early
 */
export async function timePasses(ms: number, signal?: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { ...(signal && { signal }) }).catch(() => undefined);
}

/** Resolves when what is due in this turn of the event loop has run. */
export async function nextTurn(): Promise<void> {
  await setImmediate();
}
