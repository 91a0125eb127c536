import { silentLogger } from '@app/service-kit/logger';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type ProcessPauses, watchPauses } from './process-pauses.ts';

const pauseMs = 1_200;
let pauses: ProcessPauses;
/** Ends of the pings that nats-server has not answered, in their order. */
let pings: (() => void)[];

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000, toFake: ['Date', 'performance'] });
  pings = [];
  const flush = () => new Promise<void>((resolve) => void pings.push(resolve));
  const connection = { flush, closed: () => new Promise<void>(() => undefined) };
  pauses = watchPauses({ connection: connection as never }, silentLogger());
});
afterEach(() => {
  pauses.close();
  vi.useRealTimers();
});

/** The process has no turn for so long. */
const pause = (): void => void vi.advanceTimersByTime(pauseMs);
async function answerPing(): Promise<void> {
  pings.shift()?.();
  await Promise.resolve();
  await Promise.resolve();
}

test('a process that pauses again and again holds no message for older than what it has not read: it drops none that came since', async () => {
  pause();
  for (let times = 0; times < 20; times += 1) {
    expect(pauses.maxAgeMs()).toBeLessThanOrEqual(2 * pauseMs);
    pause();
    // The next pause is noticed before the answer to the last one's ping is read.
    expect(pauses.maxAgeMs()).toBe(2 * pauseMs);
    await answerPing();
    expect(pauses.maxAgeMs()).toBe(pauseMs);
  }
  await answerPing();
  expect(pauses.maxAgeMs()).toBe(0);
});

test('a message counts as sent at the beginning of the first pause whose ping is not answered', async () => {
  pause();
  expect(pauses.maxAgeMs()).toBe(pauseMs);
  pause();
  pause();
  expect(pauses.maxAgeMs()).toBe(3 * pauseMs);
  await answerPing();
  expect(pauses.maxAgeMs()).toBe(2 * pauseMs);
});
