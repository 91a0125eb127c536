import { expect, test } from 'vitest';
import { exceededLoginLimit } from './login-limit.rules.ts';

test.each([
  ['the first attempt', 1, 1, 1, null],
  ['the tenth in a minute', 10, 10, 10, null],
  ['the eleventh', 11, 11, 11, 'minute'],
  ['the eleventh in an hour', 1, 11, 11, null],
  ['the first from an address while others guess', 1, 1, 100_000, null],
  ['the third', 3, 3, 100_000, null],
  ['the fourth', 4, 4, 100_000, 'hour'],
  ['the fourth of an hour in another minute', 1, 4, 101, 'hour'],
] as const)('%s', (_, minute, hour, ofEmail, refusal) => {
  expect(exceededLoginLimit({ ofPair: { minute, hour }, ofEmail })).toBe(refusal);
});

test('guesses at one email are bounded by the addresses they come from, whatever the order', () => {
  const addresses = 50;
  const byAddress = Array.from({ length: addresses }, () => ({ hour: 0, minute: 0 }));
  let ofEmail = 0;
  let guessed = 0;
  for (let minute = 0; minute < 60; minute++) {
    for (const attempts of byAddress) attempts.minute = 0;
    for (let round = 0; round < 20; round++) {
      for (const attempts of byAddress) {
        attempts.minute += 1;
        attempts.hour += 1;
        ofEmail += 1;
        if (exceededLoginLimit({ ofPair: attempts, ofEmail }) === null) guessed += 1;
      }
    }
  }
  expect(guessed).toBeLessThanOrEqual(100 + 3 * addresses);
});
