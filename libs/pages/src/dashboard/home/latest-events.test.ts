import { samplePayloads } from '@app/contracts/webhook-samples';
import { webhookEventNames } from '@app/contracts/webhooks';
import { expect, test } from 'vitest';
import { eventPath } from './latest-events.ts';

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
