import { expect, test } from 'vitest';
import { paidOrder } from '../../../test/gallery/dashboard-orders-samples.ts';
import { entryOf } from '../../../test/gallery/dashboard-tools-samples.ts';
import { formatsFor } from '../../formats.ts';
import { html } from '../../html.ts';
import { orderMoments } from './order-timeline.ts';

test('the order of which this one may be a duplicate is a link', () => {
  const other = 'ord_01jd2q5v8kfw9s3x6z7yabcdeg';
  const summary = `This order may be a duplicate of ${other}: <the same email> paid for the same product shortly before`;
  const activity = [entryOf({ kind: 'notice', summary })];
  const [notice] = orderMoments({ order: paidOrder, activity, formats: formatsFor('en-US') });
  expect(html`${notice?.entry.title}`.text).toBe(
    `This order may be a duplicate of <a href="/app/orders/${other}">${other}</a>: &lt;the same email&gt; paid for the same product shortly before`,
  );
});
