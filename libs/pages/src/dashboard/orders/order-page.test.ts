import { expect, test } from 'vitest';
import { nothingBesideOrder, paidOrder } from '../../../test/gallery/dashboard-orders-samples.ts';
import { deliveryOf } from '../../../test/gallery/dashboard-tools-samples.ts';
import { formatsFor } from '../../formats.ts';
import { orderPage } from './order-page.ts';

const of = { order: paidOrder, ...nothingBesideOrder, formats: formatsFor('en-US') };

test('an order has the number that its buyer reads beside the whole id', () => {
  const { text } = orderPage(of).main;
  const { id } = paidOrder;
  expect(text).toContain(`<dt>Order number</dt><dd><code class="small">${id.slice(-8)}</code></dd>`);
  expect(text).toMatch(new RegExp(`<input [^>]*id="order-id"[^>]*value="${id}"`));
});

test('an order whose buyer has withdrawn leads to the answer', () => {
  const id = 'wdr_01jd2q5v8kfw9s3x6z7yabcdef';
  const withdrawal: NonNullable<Parameters<typeof orderPage>[0]['withdrawal']> = {
    ...{ id, status: 'requested', name: 'Ada', bought: 'it', email: 'ada@example.com', statement: 'I withdraw' },
    ...{ late: false, answer: null, order: null, test: false, requested_at: paidOrder.created_at, closed_at: null },
  };
  expect(orderPage({ ...of, withdrawal }).main.text).toContain(`<a href="/app/orders/withdrawals#${id}">Answer it</a>`);
  expect(orderPage(of).main.text).not.toContain('Answer it');
});

test('a receipt that was sent again says on top what became of it, and to whom', () => {
  const receipt = 'dlv_01jd2q5v8kfw9s3x6z7yabcdef';
  const again = { id: receipt, endpoint_id: 'aut_01jd2q5v8kfw9s3x6z7yabcdef', reason: 'The mail server refused it.' };
  const shown = (changes: Parameters<typeof deliveryOf>[0], asked: string | null = receipt): string =>
    orderPage({ ...of, deliveries: [deliveryOf({ ...again, ...changes })], receipt: asked }).main.text;
  const delivered = { status: 'delivered', url: 'mailto:neu@example.com' } as const;
  expect(shown(delivered)).toContain('The receipt was sent to <bdi>neu@example.com</bdi>.');
  expect(shown({ status: 'pending', url: null })).toContain('The receipt is on its way.');
  expect(shown({ status: 'failed' })).toContain('The receipt was not sent: The mail server refused it.');
  expect(shown(delivered, null)).not.toContain('The receipt was sent to');
  // Anyone can send a link.
  expect(shown(delivered, 'dlv_01jd2q5v8kfw9s3x6z7yabcdeg')).not.toContain('The receipt was sent to');
});
