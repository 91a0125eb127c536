import { expect, test } from 'vitest';
import { nextAttempt } from './next-attempt.rules.ts';

test.each([
  ['none was made', null, null, { attemptNo: 1, resends: false }],
  ['the card was declined', 1, 'card_declined', { attemptNo: 2, resends: false }],
  [
    'it never reached the processor: its number is taken all the same',
    1,
    'not_received',
    { attemptNo: 2, resends: false },
  ],
  ['the buyer did not confirm it', 2, 'given_up', { attemptNo: 3, resends: false }],
  ['the processor did nothing with it', 1, 'nothing_done', { attemptNo: 1, resends: true }],
  ['the processor did nothing with a later one', 3, 'nothing_done', { attemptNo: 3, resends: true }],
  ['the last one has no end, or succeeded', 2, null, { attemptNo: 3, resends: false }],
])('the next payment of a period where %s', (_, last_attempt, last_reason, next) => {
  expect(nextAttempt({ last_attempt, last_reason })).toEqual(next);
});
