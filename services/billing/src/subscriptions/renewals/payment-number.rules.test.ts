import { expect, test } from 'vitest';
import { isRefusedBefore, nextAttempt } from './payment-number.rules.ts';

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
  ['the processor refused it', 1, 'request_refused', { attemptNo: 1, resends: true }],
  ['the processor refused it again', 1, 'request_refused_again', { attemptNo: 2, resends: false }],
  ['the last one has no end, or succeeded', 2, null, { attemptNo: 3, resends: false }],
])('the next payment of a period where %s', (_, last_attempt, last_reason, next) => {
  expect(nextAttempt({ last_attempt, last_reason })).toEqual(next);
});

const charges = { charges_others: true, refuses_others: false, may_charge: true };
const alone = { ...charges, charges_others: false };

test.each([
  ['refused while others are charged', 'request_refused', '2026-03-01T23:59:59.999Z', charges, true],
  ['refused again', 'request_refused_again', '2026-02-27T12:00:00.000Z', charges, true],
  ['refused on this day', 'request_refused', '2026-03-02T00:00:00.000Z', charges, false],
  ['not received', 'nothing_done', '2026-03-01T12:00:00.000Z', charges, false],
  ['never sent', null, null, alone, false],
  ['the only one', 'request_refused', '2026-03-01T23:59:59.999Z', alone, true],
  ['refused with others', 'request_refused', '2026-03-01T12:00:00.000Z', { ...alone, refuses_others: true }, false],
  ['refused, as some are', 'request_refused', '2026-03-01T12:00:00.000Z', { ...charges, refuses_others: true }, true],
  ['of a stopped account', 'request_refused', '2026-03-01T12:00:00.000Z', { ...charges, may_charge: false }, false],
  ['the only one, unknown', 'request_refused', '2026-03-01T12:00:00.000Z', { ...alone, may_charge: null }, false],
  ['of an unknown account', 'request_refused', '2026-03-01T12:00:00.000Z', { ...charges, may_charge: null }, true],
])('whether a renewal counts as refused on a second day: %s', (_, last_reason, finished, account, refused) => {
  const last_finished_at = finished === null ? null : new Date(finished);
  const now = new Date('2026-03-02T03:00:00.000Z');
  expect(isRefusedBefore({ last_reason, last_finished_at, ...account }, now)).toBe(refused);
});
