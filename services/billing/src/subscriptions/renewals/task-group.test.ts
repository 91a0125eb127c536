import { expect, test } from 'vitest';
import { createTaskGroup } from './task-group.ts';

function pieces(count: number) {
  return Array.from({ length: count }, () => Promise.withResolvers<void>());
}

test('so many tasks run at once, the next one begins when one has ended, and idle waits for all', async () => {
  const calls = createTaskGroup(2);
  const [first, second, third] = pieces(3) as [
    PromiseWithResolvers<void>,
    PromiseWithResolvers<void>,
    PromiseWithResolvers<void>,
  ];
  const begun: number[] = [];
  const begin = (number: number, { promise }: PromiseWithResolvers<void>) =>
    calls.begin(() => {
      begun.push(number);
      return promise;
    });
  await begin(1, first);
  await begin(2, second);
  const waiting = begin(3, third);
  expect(begun).toEqual([1, 2]);
  second.resolve();
  await waiting;
  expect(begun).toEqual([1, 2, 3]);
  let idle = false;
  const ended = calls.idle().then(() => {
    idle = true;
  });
  first.resolve();
  await first.promise;
  expect(idle).toBe(false);
  third.resolve();
  await ended;
  expect(calls.failed).toBe(false);
  expect(() => calls.throwFailure()).not.toThrow();
});

test('the first failure is thrown when it is requested, and keeps no slot', async () => {
  const calls = createTaskGroup(1);
  for (const reason of ['first', 'second']) await calls.begin(() => Promise.reject(new Error(reason)));
  await calls.idle();
  expect(calls.failed).toBe(true);
  expect(() => calls.throwFailure()).toThrow('first');
});
