import { quickestMs } from '@app/testing/quickest';
import { expect } from 'vitest';
import type { Answer } from './seller.ts';

/** Every answer is a 503; of up to five the soonest counts, as this machine may be busy. */
export const soonestRefusalMs = (limitMs: number, ask: () => Promise<Answer>): Promise<number> =>
  quickestMs(limitMs, async () => expect((await ask()).status).toBe(503));
