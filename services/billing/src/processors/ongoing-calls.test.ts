import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createOngoingCalls } from './ongoing-calls.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** A call that waits for two slots at once, and then for its answer. */
function waitingCall() {
  const calls = createOngoingCalls(1_000);
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const answer = Promise.withResolvers<string>();
  const done = calls.make(async (_, untimed) => {
    await Promise.all([untimed(() => first.promise), untimed(() => second.promise)]);
    return await answer.promise;
  });
  return { calls, first, second, answer, done };
}

test('waiting for a slot is no part of the deadline', async () => {
  const { calls, first, second, answer, done } = waitingCall();
  await vi.advanceTimersByTimeAsync(30_000);
  first.resolve();
  await vi.advanceTimersByTimeAsync(30_000);
  second.resolve();
  await vi.advanceTimersByTimeAsync(900);
  answer.resolve('answered');
  expect(await done).toBe('answered');
  await calls.close();
});

test('what is left of the deadline runs on afterwards', async () => {
  const { calls, first, second, done } = waitingCall();
  const refused = expect(done).rejects.toThrow('no answer within 1000 ms');
  await vi.advanceTimersByTimeAsync(60_000);
  first.resolve();
  second.resolve();
  await vi.advanceTimersByTimeAsync(1_001);
  await refused;
  await calls.close();
});

test('closing ends what waits for a slot', async () => {
  const { calls, done } = waitingCall();
  const ended = expect(done).rejects.toThrow('closing');
  await calls.close();
  await ended;
});

test('a call of many parts has the deadline for each of them, and none longer', async () => {
  const calls = createOngoingCalls(1_000);
  let goOn: () => void = () => undefined;
  const done = calls.make(async (_, __, goesOn) => {
    goOn = goesOn;
    return await Promise.withResolvers<string>().promise;
  });
  const refused = expect(done).rejects.toThrow('no answer within 1000 ms');
  let isOver = false;
  done.catch(() => {
    isOver = true;
  });
  for (let part = 0; part < 10; part += 1) {
    await vi.advanceTimersByTimeAsync(900);
    goOn();
  }
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(1_001);
  await refused;
  await calls.close();
});
