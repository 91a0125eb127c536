import { expect, test, vi } from 'vitest';
import { type BackgroundLoop, type LoopOptions, startLoop } from './background-loop.ts';

const anHourMs = 3_600_000;

/** A loop whose rounds end when the test says so, and wait for an hour between them. */
function startControlled(options: Partial<LoopOptions> = {}) {
  const begun: PromiseWithResolvers<void>[] = [];
  const failures: unknown[] = [];
  let onBegin = () => {};
  const loop: BackgroundLoop = startLoop({
    name: 'test',
    round: async () => {
      const round = Promise.withResolvers<void>();
      begun.push(round);
      onBegin();
      await round.promise;
    },
    pauseMs: () => anHourMs,
    onFailure: (err) => failures.push(err),
    ...options,
  });
  const beginOf = async (count: number): Promise<void> => {
    while (begun.length < count) await new Promise<void>((resolve) => (onBegin = resolve));
  };
  return { loop, begun, failures, beginOf };
}

test('a wake during a round begins the next one right after it, and never two at once', async () => {
  const { loop, begun, beginOf } = startControlled();
  loop.wake();
  loop.wake();
  expect(begun).toHaveLength(1);
  begun[0]?.resolve();
  await beginOf(2);
  const closed = loop.close();
  begun[1]?.resolve();
  await closed;
  expect(begun).toHaveLength(2);
});

test('a wake cuts the pause short', async () => {
  const { loop, begun, beginOf } = startControlled();
  begun[0]?.resolve();
  await new Promise(setImmediate);
  expect(begun).toHaveLength(1);
  loop.wake();
  await beginOf(2);
  begun[1]?.resolve();
  await loop.close();
});

test('a failed round is reported, and the next one begins after the pause that holds then', async () => {
  const pauses: number[] = [];
  const { loop, begun, failures, beginOf } = startControlled({
    pauseMs: () => {
      pauses.push(failures.length);
      return failures.length < 2 ? 0 : anHourMs;
    },
  });
  const failure = new Error('away');
  begun[0]?.reject(failure);
  await beginOf(2);
  begun[1]?.reject(failure);
  await expect.poll(() => pauses).toEqual([1, 2]);
  expect(failures).toEqual([failure, failure]);
  await loop.close();
});

test('closing waits for the round under way, which sees it, and keeps its failure to itself', async () => {
  const seen: boolean[] = [];
  const underWay = Promise.withResolvers<void>();
  const { loop, failures } = startControlled({
    round: async (isClosing) => {
      seen.push(isClosing());
      await underWay.promise;
      seen.push(isClosing());
      throw new Error('its database is closed');
    },
  });
  let closed = false;
  const closing = loop.close().then(() => {
    closed = true;
  });
  await new Promise(setImmediate);
  expect(closed).toBe(false);
  underWay.resolve();
  await closing;
  expect({ seen, failures }).toEqual({ seen: [false, true], failures: [] });
});

test('a loop whose report or pause throws says so, and goes on', async () => {
  const said = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  const reported: unknown[] = [];
  const [failure, cannotReport, noPause] = ['away', 'cannot report', 'no pause'].map((text) => new Error(text));
  const { loop, begun, beginOf } = startControlled({
    onFailure: (err) => {
      reported.push(err);
      if (err === failure) throw cannotReport;
    },
    pauseMs: () => {
      if (begun.length === 1) throw noPause;
      return anHourMs;
    },
  });
  begun[0]?.reject(failure);
  await expect.poll(() => reported).toEqual([failure, noPause]);
  expect(said).toHaveBeenCalledExactlyOnceWith(cannotReport);
  said.mockRestore();
  loop.wake();
  await beginOf(2);
  begun[1]?.resolve();
  await loop.close();
});
