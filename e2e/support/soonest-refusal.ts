import { expect } from 'vitest';
import type { Answer } from './seller.ts';

/** Every answer is a 503; of up to five the soonest counts, as this machine may be busy. */
export async function soonestRefusalMs(limitMs: number, ask: () => Promise<Answer>): Promise<number> {
  let soonestMs = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 5 && soonestMs >= limitMs; tries += 1) {
    const startedMs = performance.now();
    expect((await ask()).status).toBe(503);
    soonestMs = Math.min(soonestMs, performance.now() - startedMs);
  }
  return soonestMs;
}
