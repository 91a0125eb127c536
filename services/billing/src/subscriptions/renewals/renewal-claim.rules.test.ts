import { expect, test } from 'vitest';
import { decideClaim, type LastAttempt } from './renewal-claim.rules.ts';

const now = new Date('2026-03-02T03:00:00.000Z');
const attempt = (attempt_no: number, decline_reason: string | null, finished_at: Date | null = null): LastAttempt => ({
  ...{ attempt_no, decline_reason, finished_at },
});
const decide = (last: LastAttempt | undefined, isTaken = false) =>
  decideClaim({ last, refusing: undefined, isTaken }, now);

test.each([
  ['none was made', undefined, { attemptNo: 1, resends: false }],
  ['the card was declined', attempt(1, 'card_declined'), { attemptNo: 2, resends: false }],
  [
    'it never reached the processor: its number is taken all the same',
    attempt(1, 'not_received'),
    { attemptNo: 2, resends: false },
  ],
  ['the buyer did not confirm it', attempt(2, 'given_up'), { attemptNo: 3, resends: false }],
  ['the processor did nothing with it', attempt(1, 'nothing_done'), { attemptNo: 1, resends: true }],
  ['the processor did nothing with a later one', attempt(3, 'nothing_done'), { attemptNo: 3, resends: true }],
  ['the processor refused it', attempt(1, 'request_refused'), { attemptNo: 1, resends: true }],
  ['the processor refused it again', attempt(1, 'request_refused_again'), { attemptNo: 2, resends: false }],
  ['the last one has no end, or succeeded', attempt(2, null), { attemptNo: 3, resends: false }],
])('the next payment of a period where %s', (_, last, next) => {
  expect(decide(last)).toEqual({ ...next, refusedBefore: false });
});

test('what is sent again is not beside another payment of its order; what is written anew the indexes keep out', () => {
  expect(decide(attempt(1, 'nothing_done'), true)).toBeUndefined();
  expect(decide(attempt(1, 'card_declined'), true)).toMatchObject({ attemptNo: 2 });
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
])('whether a renewal counts as refused on a second day: %s', (_, reason, finished, refusing, refusedBefore) => {
  const last = reason === null ? undefined : attempt(1, reason, finished === null ? null : new Date(finished));
  expect(decideClaim({ last, refusing, isTaken: false }, now)).toMatchObject({ refusedBefore });
});
