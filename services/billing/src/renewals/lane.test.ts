import { expect, test } from 'vitest';
import { createLane } from './lane.ts';

function pieces(count: number) {
  return Array.from({ length: count }, () => Promise.withResolvers<void>());
}

test('so many pieces run at once, the next one begins when one has ended, and idle waits for all', async () => {
  const lane = createLane(2);
  const [first, second, third] = pieces(3) as [
    PromiseWithResolvers<void>,
    PromiseWithResolvers<void>,
    PromiseWithResolvers<void>,
  ];
  const begun: number[] = [];
  const begin = (number: number, { promise }: PromiseWithResolvers<void>) =>
    lane.begin(() => {
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
  const ended = lane.idle().then(() => {
    idle = true;
  });
  first.resolve();
  await first.promise;
  expect(idle).toBe(false);
  third.resolve();
  await ended;
  expect(lane.failed).toBe(false);
  expect(() => lane.throwFailure()).not.toThrow();
});

test('the first failure is thrown when it is asked for, and keeps no place', async () => {
  const lane = createLane(1);
  for (const reason of ['first', 'second']) await lane.begin(() => Promise.reject(new Error(reason)));
  await lane.idle();
  expect(lane.failed).toBe(true);
  expect(() => lane.throwFailure()).toThrow('first');
});
