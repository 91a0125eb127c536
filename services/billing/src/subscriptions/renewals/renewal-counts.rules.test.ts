import { expect, test } from 'vitest';
import type { RenewalEffect, RenewedSubscription } from './renewal.rules.ts';
import { effectOf } from './renewal.rules.ts';
import { countOutcomes } from './renewal-counts.rules.ts';

const at = new Date('2026-02-01T00:00:00.000Z');
const stands: RenewedSubscription = {
  ...{
    status: 'active',
    failed_tries: 0,
    hard_declined: false,
    free_attempt: false,
    payment_method: 'card',
    cancel_requested_by: null,
  },
  ...{ billing_interval: 'month', anchor: new Date('2026-01-01T00:00:00.000Z'), anchor_period: 0 },
  ...{ period: 1, current_period_end: at, next_charge_at: at },
};
const pastDue = (failed_tries: number) => ({ ...stands, status: 'past_due' as const, failed_tries });
const about = { period: 2, at, method: 'card' };
const paid = { ...about, kind: 'paid' } as const;
const declined = { ...about, kind: 'declined', hard: false, reason: 'card_declined' } as const;

const outcome = (subscription: RenewedSubscription, effect: RenewalEffect, account_id = 'a', currency = 'usd') => ({
  subscription: { ...subscription, account_id, test: false, currency },
  ...{ effect, cents: 1900 },
});
const none = {
  account_id: 'a',
  test: false,
  currency: 'usd',
  charged: 0,
  charged_cents: 0,
  retried: 0,
  declined: 0,
  canceled: 0,
};

test('every success is charged, every failure declined, retries are attempts after a failed one, and the fourth one cancels', () => {
  const outcomes = [
    outcome(stands, effectOf(stands, paid)),
    outcome(stands, effectOf(stands, declined)),
    outcome(pastDue(2), effectOf(pastDue(2), paid)),
    outcome(pastDue(3), effectOf(pastDue(3), declined)),
  ];
  expect(countOutcomes(outcomes)).toEqual([
    { ...none, charged: 2, charged_cents: 3800, retried: 2, declined: 2, canceled: 1 },
  ]);
});

test('what the processor never got was no attempt', () => {
  const effect = effectOf(pastDue(1), { ...about, kind: 'not_received' });
  expect(countOutcomes([outcome(pastDue(1), effect)])).toEqual([]);
});

test('a charge of a subscription that was canceled meanwhile is charged, and is not counted as canceled', () => {
  const canceled = { ...stands, status: 'canceled' as const, next_charge_at: null };
  expect(countOutcomes([outcome(canceled, effectOf(canceled, paid))])).toEqual([
    { ...none, charged: 1, charged_cents: 1900 },
  ]);
});

test('accounts and currencies are summed apart', () => {
  const effect = effectOf(stands, paid);
  const one = { ...none, charged: 1, charged_cents: 1900 };
  expect(
    countOutcomes([outcome(stands, effect), outcome(stands, effect, 'b'), outcome(stands, effect, 'a', 'eur')]),
  ).toEqual([one, { ...one, account_id: 'b' }, { ...one, currency: 'eur' }]);
});
