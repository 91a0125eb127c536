import * as webhookPayloads from '@app/contracts/webhook-payloads';
import { samplePayloads } from '@app/contracts/webhook-samples';
import { webhookEventNames } from '@app/contracts/webhooks';
import { expect, test } from 'vitest';
import { freshSample } from './fresh-sample.ts';

const now = '2027-02-03T04:05:06.789Z';
const nowMs = Date.parse(now);
const schemas = new Map(Object.values(webhookPayloads).map((each) => [each.shape.event.value as string, each]));

test.each(webhookEventNames)('%s: the sample has the published fields, is of now, and names nothing twice', (event) => {
  const [first, second] = [freshSample(event, nowMs), freshSample(event, nowMs)];
  expect(schemas.get(event)?.parse(first)).toEqual(first);
  expect(Object.keys(first)).toEqual(Object.keys(samplePayloads[event]));
  expect(first.sentAt).toBe(now);
  for (const [name, value] of Object.entries(first)) {
    if (name.endsWith('Id') && value !== '') expect([name, value === second[name]]).toEqual([name, false]);
  }
});

test('what was bought is named by the ids of the same sample, and by new ones each time', () => {
  const samples = [freshSample('order.paid', nowMs), freshSample('order.paid', nowMs)];
  const [main, ...others] = samples.map(({ items }) => (items as { id: string }[]).map(({ id }) => id));
  expect(samples.map(({ productId }) => productId)).toEqual([main?.[0], others[0]?.[0]]);
  expect(main?.map((id) => id.slice(0, 4))).toEqual(['prd_', 'bmp_']);
  expect(main?.filter((id) => others[0]?.includes(id))).toEqual([]);
});

test('a period lies about the renewal as it does in the sample', () => {
  const { periodStart, periodEnd } = freshSample('subscription.rebilled', nowMs);
  expect(String(periodStart) < now && now < String(periodEnd)).toBe(true);
});
