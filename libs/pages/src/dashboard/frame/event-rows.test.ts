import { samplePayloads } from '@app/contracts/webhook-samples';
import { webhookEventNames } from '@app/contracts/webhooks';
import { expect, test } from 'vitest';
import { eventPath, withoutConsequences } from './event-rows.ts';

const event = { id: 'evt_1', sequence: 1, occurred_at: '2026-10-23T12:00:00.000Z', test: false };

test.each(webhookEventNames)('%s leads to what it is about', (name) => {
  const start = name.startsWith('subscription.')
    ? '/app/subscriptions/sub_'
    : { 'affiliate.paid': '/app/affiliates/code/ANNA', 'funnel.email.sync': '/app/products/prd_' }[name as string];
  const payload = { ...samplePayloads[name] };
  expect(eventPath({ ...event, event: name, payload }).startsWith(start ?? '/app/orders/ord_')).toBe(true);
});

test('an event whose payload is kept no more leads to its deliveries', () => {
  expect(eventPath({ ...event, event: 'order.paid', payload: null })).toBe('/app/activity/deliveries?eventId=evt_1');
});

test('a refund of an order is one row, with its payments and the end of its subscription', () => {
  const at = (name: 'order.refunded' | 'payment.refunded' | 'subscription.canceled', change = {}, minute = 0) => ({
    ...event,
    ...{ id: crypto.randomUUID(), event: name, occurred_at: `2026-10-23T12:0${minute}:01.000Z` },
    payload: { ...samplePayloads[name], product: 'Course', ...change },
  });
  const refund = at('order.refunded');
  const others = [
    at('payment.refunded', { orderId: 'ord_2' }),
    at('payment.refunded', {}, 5),
    at('subscription.canceled', { email: 'grace@example.com' }),
  ];
  const following = [at('payment.refunded'), at('payment.refunded'), at('subscription.canceled')];
  expect(withoutConsequences([refund, ...following, ...others])).toEqual([refund, ...others]);
  expect(withoutConsequences(following)).toEqual(following);
});
