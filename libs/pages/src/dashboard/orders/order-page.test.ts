import { expect, test } from 'vitest';
import { paidOrder } from '../../../test/gallery/dashboard-orders-samples.ts';
import { formatsFor } from '../../formats.ts';
import { orderPage } from './order-page.ts';

test('an order has the number that its buyer reads beside the whole id', () => {
  const of = { order: paidOrder, deliveries: [], activity: [], subscription: null, refund: null };
  const { text } = orderPage({ ...of, formats: formatsFor('en-US') }).main;
  const { id } = paidOrder;
  expect(text).toContain(`<dt>Order number</dt><dd><code class="small">${id.slice(-8)}</code></dd>`);
  expect(text).toMatch(new RegExp(`<input [^>]*id="order-id"[^>]*value="${id}"`));
});
