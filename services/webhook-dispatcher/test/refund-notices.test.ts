import { listAutomations, updateAutomation } from '@app/contracts/automations';
import type { EventData } from '@app/contracts/define';
import { newId } from '@app/contracts/ids';
import { paymentRefunded } from '@app/contracts/orders';
import { expect, test } from 'vitest';
import { PartialRefundNotices } from '../src/db/migrations/0009-partial-refund-notices.ts';
import { handled } from './harness.ts';
import { harness, seller, server, startMailService } from './mail-set-up.ts';
import { eventTime } from './orders.ts';

startMailService();

const noticeOf = async (account: string) =>
  (await harness.request(listAutomations, account, {})).data.find(
    ({ built_in }) => built_in === 'partial_refund_notice',
  ) ?? expect.fail('no notice of refunds in part');

/** What went back of an order of $153.00, or of a renewal. */
const refund = (
  amountCents: number,
  refundedCents: number,
  period: number | null = null,
  fields: Partial<EventData<typeof paymentRefunded>> = {},
) =>
  harness.publish(paymentRefunded, seller.account, {
    orderId: newId('order', harness.clock.nowMs()),
    ...{ productId: 'prd_01k3m8q1a2b3c4d5e6f7g8h9jk', productName: 'Course', customerEmail: 'ada@example.com' },
    ...{
      currency: 'usd',
      test: false,
      paymentId: 'pmt_1',
      refundId: newId('payment', harness.clock.nowMs()),
      amountCents,
    },
    ...{ subscriptionId: period === null ? null : 'sub_1', period, changeNo: 1, isFirst: true, refundedAt: eventTime },
    part: { refundedCents, ofCents: 15_300 },
    ...fields,
  });

test('a buyer is told of a refund in part and of a renewal’s, with what has gone back so far; of a whole one by its own email', async () => {
  await refund(15_300, 15_300);
  await refund(5_000, 7_000);
  await seller.tried(1);
  expect(server.received.map(({ to }) => to)).toEqual(['ada@example.com']);
  const [{ text = '' } = {}] = server.received;
  const plain = text.replaceAll('=\r\n', '');
  expect(plain).toContain('Maya & Co has given back $50.00 of what you paid for Course.');
  expect(plain).toContain('Given back so far: $70.00 of $153.00');
  await refund(15_300, 15_300, 2);
  await seller.tried(2);
  expect(server.received).toHaveLength(2);
});

test('a buyer of an order that is refunded whole, payment by payment, is told of no part of it', async () => {
  await refund(9_900, 9_900, null, { ofWholeOrder: true });
  await refund(5_400, 15_300, null, { ofWholeOrder: true });
  await refund(1_900, 1_900, 2);
  await seller.tried(1);
  const bodies = server.received.map(({ text = '' }) => text.replaceAll('=\r\n', ''));
  expect(bodies).toEqual([expect.stringContaining('has given back $19.00')]);
});

test('an account that was there before sends none until its seller switches it on; one that comes later does', async () => {
  const client = await harness.database.pool.connect();
  await new PartialRefundNotices(client).run();
  client.release();
  const { id: automationId, ...offered } = await noticeOf(seller.account);
  expect(offered).toMatchObject({ active: false, switched_off: null });
  // Handled before the switch: an event that comes after it sends an email.
  await handled(await refund(5_000, 5_000));
  expect(await seller.runs()).toEqual([]);
  await harness.request(updateAutomation, seller.account, { automationId, body: { active: true } });
  await refund(1_000, 6_000);
  await seller.tried(1);
  expect(server.received).toHaveLength(1);
  expect(await noticeOf(newId('account', harness.clock.nowMs()))).toMatchObject({ active: true });
});
