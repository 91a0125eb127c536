import { AsyncLocalStorage } from 'node:async_hooks';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BatcherFullError, createBatcher, type ItemResult } from './batcher.ts';

/** A run that records its batches and finishes each on request. */
function heldRun() {
  const batches: (readonly number[])[] = [];
  const finish: Array<() => void> = [];
  const run = async (items: readonly number[]): Promise<Array<ItemResult<number>>> => {
    batches.push(items);
    await new Promise<void>((resolve) => finish.push(resolve));
    return items.map((item) => ({ ok: true, value: item * 10 }));
  };
  return { batches, finish, run };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('items of one turn share a batch; those that arrive while it runs go together in the next', async () => {
  const { batches, finish, run } = heldRun();
  const batcher = createBatcher({ maxSize: 100, maxWaiting: 100, run });
  const first = [batcher.add(1), batcher.add(2)];
  await turn();
  const second = [batcher.add(3)];
  await turn();
  second.push(batcher.add(4));
  await turn();
  expect(batches).toEqual([[1, 2]]);
  expect(batcher.pending).toBe(2);
  finish.shift()?.();
  expect(await Promise.all(first)).toEqual([10, 20]);
  await turn();
  expect(batches).toEqual([
    [1, 2],
    [3, 4],
  ]);
  finish.shift()?.();
  expect(await Promise.all(second)).toEqual([30, 40]);
  expect(batcher.pending).toBe(0);
});

test('a lone item of an idle batcher runs in the same turn of the event loop', async () => {
  const { batches, finish, run } = heldRun();
  const batcher = createBatcher({ maxSize: 10, maxWaiting: 10, run });
  const answer = batcher.add(7);
  await turn();
  expect(batches).toEqual([[7]]);
  finish.shift()?.();
  expect(await answer).toBe(70);
});

test('a batch that lingers has what comes meanwhile, and starts as soon as it is full', async () => {
  const { batches, finish, run } = heldRun();
  const batcher = createBatcher({ maxSize: 3, maxWaiting: 10, lingerMs: 60_000, run });
  const answers = [batcher.add(1)];
  for (const item of [2, 3]) {
    await turn();
    expect(batches).toEqual([]);
    answers.push(batcher.add(item));
  }
  await turn();
  expect(batches).toEqual([[1, 2, 3]]);
  for (const item of [4, 5, 6]) answers.push(batcher.add(item));
  finish.shift()?.();
  await turn();
  await turn();
  expect(batches).toEqual([
    [1, 2, 3],
    [4, 5, 6],
  ]);
  finish.shift()?.();
  expect(await Promise.all(answers)).toEqual([10, 20, 30, 40, 50, 60]);
});

test('what lingers when it closes is run', async () => {
  const run = async (items: readonly number[]) => items.map((value) => ({ ok: true, value }) as const);
  const batcher = createBatcher({ maxSize: 3, maxWaiting: 10, lingerMs: 5, run });
  const answers = [batcher.add(1), batcher.add(2)];
  await batcher.close();
  expect(await Promise.all(answers)).toEqual([1, 2]);
});

test('beyond maxWaiting an item is refused; one in flight does not count', async () => {
  const { finish, run } = heldRun();
  const batcher = createBatcher({ maxSize: 1, maxWaiting: 2, run });
  const inFlight = batcher.add(1);
  await turn();
  const waiting = [batcher.add(2), batcher.add(3)];
  await expect(batcher.add(4)).rejects.toThrow(BatcherFullError);
  for (const answer of [inFlight, ...waiting]) {
    finish.shift()?.();
    await answer;
    await turn();
  }
  const later = batcher.add(5);
  await turn();
  finish.shift()?.();
  expect(await later).toBe(50);
});

test('one item may fail while its neighbours succeed', async () => {
  const batcher = createBatcher<number, number>({
    maxSize: 10,
    maxWaiting: 10,
    run: async (items) =>
      items.map((item) => (item === 2 ? { ok: false, error: new Error('two') } : { ok: true, value: item })),
  });
  const results = await Promise.allSettled([1, 2, 3].map((item) => batcher.add(item)));
  expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

test('when a run throws, its items get that error and the next batch still runs', async () => {
  const fault = new Error('connection lost');
  let runs = 0;
  const batcher = createBatcher<number, number>({
    maxSize: 2,
    maxWaiting: 10,
    run: (items) => {
      runs += 1;
      if (runs === 1) throw fault;
      return Promise.resolve(items.map((item) => ({ ok: true, value: item })));
    },
  });
  const [first, second, third] = await Promise.allSettled([1, 2, 3].map((item) => batcher.add(item)));
  expect(first).toEqual({ status: 'rejected', reason: fault });
  expect(second).toEqual({ status: 'rejected', reason: fault });
  expect(third).toEqual({ status: 'fulfilled', value: 3 });
});

test('a run that answers for too few items fails all of them', async () => {
  const batcher = createBatcher<number, number>({
    maxSize: 10,
    maxWaiting: 10,
    run: async () => [{ ok: true, value: 1 }],
  });
  const results = await Promise.allSettled([batcher.add(1), batcher.add(2)]);
  expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected']);
});

test('an item for which a run has no outcome fails with an error', async () => {
  const batcher = createBatcher<number, number>({ run: async () => new Array(2) });
  const both = await Promise.allSettled([1, 2].map((item) => batcher.add(item)));
  expect(both.map((each) => each.status === 'rejected' && each.reason)).toEqual([expect.any(Error), expect.any(Error)]);
});

test('close runs what waits, then refuses', async () => {
  const { finish, run } = heldRun();
  const batcher = createBatcher({ maxSize: 1, maxWaiting: 10, run });
  const answers = [batcher.add(1), batcher.add(2)];
  const closing = batcher.close();
  const closingAgain = batcher.close();
  await expect(batcher.add(3)).rejects.toThrow(BatcherFullError);
  let closed = false;
  void closing.then(() => {
    closed = true;
  });
  await turn();
  finish.shift()?.();
  await answers[0];
  await turn();
  expect(closed).toBe(false);
  finish.shift()?.();
  await Promise.all([closing, closingAgain]);
  expect(await Promise.all(answers)).toEqual([10, 20]);
  await batcher.close();
});

test('an idle batcher closes at once', async () => {
  const { run } = heldRun();
  await createBatcher({ maxSize: 1, maxWaiting: 1, run }).close();
});

test("a batch runs outside its items' request contexts", async () => {
  const request = new AsyncLocalStorage<string>();
  const seen: unknown[] = [];
  const batcher = createBatcher<number, number>({
    maxSize: 10,
    maxWaiting: 10,
    run: async (items) => {
      seen.push(request.getStore());
      return items.map((item) => ({ ok: true, value: item }));
    },
  });
  await request.run('request 1', async () => {
    await batcher.add(1);
    expect(request.getStore()).toBe('request 1');
  });
  expect(seen).toEqual([undefined]);
});

const plan = fc.record({
  maxSize: fc.integer({ min: 1, max: 8 }),
  concurrency: fc.integer({ min: 1, max: 4 }),
  /** After how many turns each item arrives after the one before. */
  gaps: fc.array(fc.nat(2), { minLength: 1, maxLength: 40 }),
  /** How many turns each batch takes. */
  durations: fc.array(fc.nat(3), { minLength: 1, maxLength: 10 }),
  /** Item numbers divisible by this fail. */
  failEvery: fc.integer({ min: 2, max: 7 }),
});

test('whatever the timing: each item gets its own outcome once, in order, within batch size and concurrency', async () => {
  await fc.assert(
    fc.asyncProperty(plan, async ({ maxSize, concurrency, gaps, durations, failEvery }) => {
      let inFlight = 0;
      let mostInFlight = 0;
      const batches: (readonly number[])[] = [];
      const run = async (items: readonly number[]): Promise<Array<ItemResult<string>>> => {
        const turns = durations[batches.push(items) % durations.length] ?? 0;
        mostInFlight = Math.max(mostInFlight, ++inFlight);
        for (let left = turns; left > 0; left--) await turn();
        inFlight -= 1;
        return items.map((item) =>
          item % failEvery === 0 ? { ok: false, error: `no ${item}` } : { ok: true, value: `yes ${item}` },
        );
      };
      const batcher = createBatcher({ maxSize, maxWaiting: 1_000, concurrency, run });
      const answers: Array<Promise<string>> = [];
      for (const [item, gap] of gaps.entries()) {
        for (let left = gap; left > 0; left--) await turn();
        answers.push(batcher.add(item).catch((error: unknown) => String(error)));
      }
      await batcher.close();
      const expected = gaps.map((_, item) => (item % failEvery === 0 ? `no ${item}` : `yes ${item}`));
      expect(await Promise.all(answers)).toEqual(expected);
      // Batches start in order of arrival, so all items in a row are the order they came in.
      expect(batches.flat()).toEqual(gaps.map((_, item) => item));
      expect(Math.max(...batches.map((batch) => batch.length))).toBeLessThanOrEqual(maxSize);
      expect(mostInFlight).toBeLessThanOrEqual(concurrency);
      expect(batcher.pending).toBe(0);
    }),
    { numRuns: 200 },
  );
});

test('an item that is not wanted any more when its batch starts gets its error, and takes no part', async () => {
  const runs: (readonly number[])[] = [];
  const batcher = createBatcher<number, number>({
    rejectionOf: (item) => (item < 0 ? new Error(`too late: ${item}`) : undefined),
    run: async (items) => {
      runs.push(items);
      return items.map((value) => ({ ok: true, value }));
    },
  });
  const results = await Promise.allSettled([1, -2, 3].map((item) => batcher.add(item)));
  expect(results).toEqual([
    { status: 'fulfilled', value: 1 },
    { status: 'rejected', reason: new Error('too late: -2') },
    { status: 'fulfilled', value: 3 },
  ]);
  await expect(batcher.add(-4)).rejects.toThrow('too late: -4');
  expect(runs).toEqual([[1, 3]]);
});

test('when the check of an item throws, the items of its batch get its error, and later ones run', async () => {
  const batcher = createBatcher<number, number>({
    rejectionOf: (item) => {
      if (item < 0) throw new Error('no deadline');
      return undefined;
    },
    run: async (items) => items.map((value) => ({ ok: true, value })),
  });
  const results = await Promise.allSettled([1, -2].map((item) => batcher.add(item)));
  expect(results).toEqual([1, -2].map(() => ({ status: 'rejected', reason: new Error('no deadline') })));
  expect(await batcher.add(3)).toBe(3);
  await batcher.close();
});

test('when a run throws between items that share a key, the first keeps its outcome', async () => {
  let runs = 0;
  const batcher = createBatcher<string, string>({
    keysOf: () => ['the same'],
    run: async (items) => {
      runs += 1;
      if (runs === 2) throw new Error('connection lost');
      return items.map((value) => ({ ok: true, value }));
    },
  });
  const results = await Promise.allSettled(['a', 'b', 'c'].map((item) => batcher.add(item)));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  expect(runs).toBe(2);
});

test('beyond maxWaiting, and once closed, an item is refused with the error that its callers know', async () => {
  const { run } = heldRun();
  const fullError = () => new Error('Too many orders are waiting.');
  const batcher = createBatcher({ maxWaiting: 0, fullError, run });
  await expect(batcher.add(1)).rejects.toThrow('Too many orders are waiting.');
  await batcher.close();
  await expect(batcher.add(1)).rejects.toThrow('Too many orders are waiting.');
});
