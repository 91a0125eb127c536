import { expect, test } from 'vitest';
import { createSemaphore, type Semaphore } from './semaphore.ts';

const turn = () => new Promise(setImmediate);

/** Pieces of work that run until they are let go, and the most that ever ran at once. */
function workshop(semaphore: Semaphore) {
  const doing: PromiseWithResolvers<void>[] = [];
  const seen = { begun: 0, most: 0 };
  let running = 0;
  const enter = () =>
    semaphore.run(async () => {
      const work = Promise.withResolvers<void>();
      doing.push(work);
      seen.begun += 1;
      running += 1;
      seen.most = Math.max(seen.most, running);
      await work.promise.finally(() => {
        running -= 1;
      });
      return seen.begun;
    });
  return { doing, seen, enter };
}

test('no more work at once than it lets through, and none is forgotten', async () => {
  const { doing, seen, enter } = workshop(createSemaphore(2));
  const all = Array.from({ length: 12 }, enter);
  for (let i = 0; i < 12; i++) {
    await turn();
    doing.shift()?.resolve();
  }
  await Promise.all(all);
  expect(seen).toEqual({ begun: 12, most: 2 });
});

test('work that fails frees its slot', async () => {
  const { doing, enter } = workshop(createSemaphore(1));
  const [first, second] = [enter(), enter()];
  await turn();
  doing.shift()?.reject(new Error('a fault'));
  await expect(first).rejects.toThrow('a fault');
  await turn();
  doing.shift()?.resolve();
  expect(await second).toBe(2);
});

test('work whose deadline passes while it waits is not begun, and its slot goes to the next', async () => {
  const semaphore = createSemaphore(1);
  const hold = Promise.withResolvers<void>();
  const held = semaphore.run(() => hold.promise);
  expect(await semaphore.runBefore(Date.now() - 1, async () => 'begun')).toBeUndefined();
  const next = semaphore.runBefore(Number.POSITIVE_INFINITY, async () => 'begun');
  hold.resolve();
  await held;
  expect(await next).toBe('begun');
});
