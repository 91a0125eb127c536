import type { Call } from '@app/pages/call';
import { expect, test } from 'vitest';
import { afterFirst } from './after-first.ts';

const inUse = { ok: false, problem: { code: 'idempotency_key_in_use' }, retryAfterSeconds: 0 };

test.each([
  [2, 3, true],
  [9, 4, false],
])('a second click gets the answer of the first, which runs for %i more calls', async (running, calls, isOk) => {
  let made = 0;
  const call = (async () => (made++ < running ? inUse : { ok: true })) as unknown as Call;
  const { ok } = await afterFirst(call)('getMe', {} as never);
  expect([made, ok]).toEqual([calls, isOk]);
});
