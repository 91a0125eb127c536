import { expect, test } from 'vitest';
import type { Subscription } from '../subscriptions/subscription-change.rules.ts';
import { decideCard } from './card-answer.rules.ts';

const now = new Date('2026-03-20T12:00:00.000Z');
const end = new Date('2026-04-15T00:00:00.000Z');
const subscription: Subscription = {
  ...{ status: 'past_due', collection: 'automatic', canceled_at: null, cancel_requested_by: null, paused_at: null },
  ...{ paused_by: null, paused_retry_at: null },
  ...{ next_charge_at: end, failed_tries: 1, hard_declined: true, free_attempt: false, anchor: end, anchor_period: 0 },
  ...{
    period: 0,
    current_period_end: end,
    billing_interval: 'month',
    started_at: new Date('2026-01-15T00:00:00.000Z'),
  },
};
const saved = { status: 'succeeded', superseded: false, repeated: false } as const;

test.each([
  ['a saved card', {}, {}, true],
  ['a card that was declined', { status: 'declined' }, {}, false],
  ['a card whose outcome is unknown', { status: 'unknown' }, {}, false],
  ['a card after which a later one was saved', { superseded: true }, {}, false],
  ['the same card again', { repeated: true }, {}, false],
  ['a saved card of a canceled subscription', {}, { status: 'canceled' }, false],
] as const)('%s: whether the subscription gets it', (_, recorded, fields, gets) => {
  const before = { ...subscription, ...fields };
  const after = decideCard({ ...saved, ...recorded }, before, now);
  const replaced = { ...before, hard_declined: false, free_attempt: true, next_charge_at: now };
  expect(after).toEqual(gets ? replaced : null);
});

test('a card of an order without a subscription changes none', () => {
  expect(decideCard(saved, undefined, now)).toBeNull();
});
