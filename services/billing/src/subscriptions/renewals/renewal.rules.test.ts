import fc from 'fast-check';
import { expect, test } from 'vitest';
import { effectOf, type RenewalOutcome, type RenewedSubscription, retryAt } from './renewal.rules.ts';

const date = (time: string): Date => new Date(time);
const anchor = date('2026-01-31T12:00:00.000Z');
const end = date('2026-02-28T12:00:00.000Z');
const subscription = (fields: Partial<RenewedSubscription> = {}): RenewedSubscription => ({
  ...{
    status: 'active',
    failed_tries: 0,
    hard_declined: false,
    free_attempt: false,
    payment_method: 'card',
    cancel_requested_by: null,
  },
  ...{ billing_interval: 'month', anchor, anchor_period: 0, period: 1, current_period_end: end, next_charge_at: end },
  ...fields,
});
const at = date('2026-03-01T09:00:00.000Z');
const paid: RenewalOutcome = { kind: 'paid', period: 2, at, method: 'card' };
const declined: RenewalOutcome = {
  ...{ kind: 'declined', period: 2, at, method: 'card', hard: false, reason: 'card_declined' },
};

test('a success ends at the anchor’s day however late it comes, and resets the count', () => {
  const { period, after, event } = effectOf(subscription({ status: 'past_due', failed_tries: 2 }), paid);
  expect(period).toEqual({ starts_at: end, ends_at: date('2026-03-31T12:00:00.000Z') });
  expect(after).toEqual({
    ...{ status: 'active', failed_tries: 0, hard_declined: false, free_attempt: false, period: 2, canceled_at: null },
    ...{ current_period_end: period.ends_at, next_charge_at: period.ends_at },
  });
  expect(event).toEqual({ kind: 'rebilled', attempt: 3, statusBefore: 'past_due', statusAfter: 'active' });
});

test('periods are counted from the anchor that a late resume set', () => {
  const resumed = date('2026-05-31T10:00:00.000Z');
  const late = subscription({ anchor: resumed, anchor_period: 4, period: 4, current_period_end: resumed });
  expect(effectOf(late, { ...paid, period: 5 }).period).toEqual({
    ...{ starts_at: resumed, ends_at: date('2026-06-30T10:00:00.000Z') },
  });
});

test('only the period after the paid one can end', () => {
  expect(() => effectOf(subscription({ period: 2 }), paid)).toThrow('does not follow');
});

test('a failed attempt makes it past due, is tried again on the third day, and the fourth cancels', () => {
  const attempts = [0, 1, 2, 3].map((failed_tries) =>
    effectOf(subscription({ failed_tries, status: failed_tries === 0 ? 'active' : 'past_due' }), declined),
  );
  expect(attempts.map(({ event }) => event)).toMatchObject([
    { attempt: 1, nextTryDays: 3, statusBefore: 'active', statusAfter: 'past_due', reason: 'card_declined' },
    { attempt: 2, nextTryDays: 3, statusBefore: 'past_due', statusAfter: 'past_due' },
    { attempt: 3, nextTryDays: 3 },
    { attempt: 4, nextTryDays: 0, statusBefore: 'past_due', statusAfter: 'canceled' },
  ]);
  const retry = date('2026-03-04T00:00:00.000Z');
  expect(attempts.map(({ after }) => after?.next_charge_at)).toEqual([retry, retry, retry, null]);
  expect(attempts.map(({ after }) => after?.canceled_at)).toEqual([null, null, null, at]);
});

test('a retry is due at the beginning of the third UTC day after the failed attempt, over months and leap days', () => {
  expect(retryAt(date('2028-02-27T23:59:59.999Z'))).toEqual(date('2028-03-01T00:00:00.000Z'));
  expect(retryAt(date('2026-12-30T00:00:00.000Z'))).toEqual(date('2027-01-02T00:00:00.000Z'));
});

test('a new card has one attempt that does not count, and is reported with the number of the last one', () => {
  const { after, event } = effectOf(
    subscription({ status: 'past_due', failed_tries: 3, free_attempt: true }),
    declined,
  );
  expect(after).toMatchObject({ status: 'past_due', failed_tries: 3, free_attempt: false });
  expect(event).toMatchObject({ attempt: 3, nextTryDays: 3 });
  expect(effectOf(subscription({ status: 'past_due', failed_tries: 3 }), declined).after?.status).toBe('canceled');
});

test('a decline of a replaced card neither uses up the new card’s free attempt nor cancels before it', () => {
  const replaced = subscription({
    status: 'past_due',
    failed_tries: 3,
    free_attempt: true,
    payment_method: 'new card',
  });
  const { after, event } = effectOf(replaced, { ...declined, hard: true });
  expect(after).toMatchObject({
    ...{ status: 'past_due', failed_tries: 3, free_attempt: true, hard_declined: false, next_charge_at: at },
  });
  expect(event).toMatchObject({ attempt: 3, nextTryDays: 1, statusAfter: 'past_due' });
});

test('what ends while it is paused is recorded and leaves it paused; the last attempt stays for its resume', () => {
  const paused = subscription({ status: 'paused', failed_tries: 3, next_charge_at: null });
  expect(effectOf(paused, paid)).toMatchObject({
    after: { status: 'paused', failed_tries: 0, period: 2, next_charge_at: null },
    event: { statusBefore: 'paused', statusAfter: 'paused' },
  });
  expect(effectOf(paused, declined)).toMatchObject({
    after: { status: 'paused', failed_tries: 3, next_charge_at: null },
    event: { attempt: 3, nextTryDays: 0, statusBefore: 'paused', statusAfter: 'paused' },
  });
});

test('what ends after it was canceled leaves it canceled: a charge is reported, a decline is not', () => {
  const canceled = subscription({ status: 'canceled', next_charge_at: null });
  expect(effectOf(canceled, paid)).toMatchObject({
    after: { status: 'canceled', period: 2, next_charge_at: null },
    event: { statusBefore: 'active', statusAfter: 'canceled' },
  });
  expect(effectOf(canceled, declined)).toMatchObject({ after: null, event: null });
});

test('what the processor never got is no attempt', () => {
  expect(effectOf(subscription(), { ...paid, kind: 'not_received' })).toMatchObject({ after: null, event: null });
});

test('a hard decline is remembered of the card that it was about, until one works', () => {
  expect(effectOf(subscription(), { ...declined, hard: true }).after?.hard_declined).toBe(true);
  expect(effectOf(subscription({ hard_declined: true }), paid).after?.hard_declined).toBe(false);
});

test('whatever happens, a charge is due only while it is alive, and no more than four attempts fail', () => {
  const state = fc.record({
    status: fc.constantFrom('active' as const, 'past_due' as const, 'paused' as const, 'canceled' as const),
    failed_tries: fc.integer({ min: 0, max: 3 }),
    hard_declined: fc.boolean(),
    free_attempt: fc.boolean(),
    payment_method: fc.constantFrom('card', 'new card'),
  });
  const outcomes = fc.constantFrom<RenewalOutcome>(paid, declined, { ...declined, hard: true });
  fc.assert(
    fc.property(state, outcomes, (fields, outcome) => {
      const { after } = effectOf(subscription(fields), outcome);
      if (after === null) return;
      const alive = after.status === 'active' || after.status === 'past_due';
      expect(after.next_charge_at !== null).toBe(alive);
      expect(after.failed_tries).toBeLessThanOrEqual(4);
      expect(after.failed_tries === 4).toBe(after.status === 'canceled' && outcome.kind === 'declined');
      expect(after.period).toBe(outcome.kind === 'paid' ? 2 : 1);
    }),
  );
});
