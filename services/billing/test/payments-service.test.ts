import { newId } from '@app/contracts/ids';
import * as contract from '@app/contracts/payments';
import { expect, test } from 'vitest';
import { startInput } from './payment-samples.ts';
import { commandOf, harness, startService } from './set-up.ts';

startService();

const newAccount = (): string => newId('account', harness.clock.nowMs());
const eventsOf = async (accountId: string, field: string) =>
  (await harness.publishedOf(accountId)).filter(({ data }) => field in data);

test('an order is charged over NATS, published once, listed without the card’s token, and refunded', async () => {
  const account = newAccount();
  const input = startInput({ orderId: newId('order', harness.clock.nowMs() - 60_000) });
  const outcome = contract.startPayment.output
    .strict()
    .parse(await harness.requester.request(contract.startPayment, input, commandOf(account)));
  expect(outcome).toMatchObject({ status: 'succeeded', attemptNo: 1, amountCents: input.amountCents });
  const again = await harness.requester.request(contract.startPayment, input, commandOf(account));
  expect(again).toEqual(outcome);
  const [completed] = await eventsOf(account, 'completedAt');
  expect(contract.paymentCompleted.data.strict().parse(completed?.data)).toMatchObject({
    orderId: input.orderId,
    status: 'succeeded',
  });
  const refund = await harness.requester.request(
    contract.refundCharges,
    { orderId: input.orderId },
    commandOf(account),
  );
  const { paymentId, amountCents } = outcome;
  expect(contract.refundCharges.output.strict().parse(refund)).toEqual({
    ...{ status: 'refunded', refundedCents: amountCents, detail: null, orderRefunded: true },
    refunds: [expect.objectContaining({ paymentId, amountCents })],
  });
  const listed = await harness.requester.request(contract.listPayments, {}, commandOf(account));
  expect(listed.data.map((entry) => contract.paymentResource.strict().parse(entry))).toMatchObject([
    { step: 'refund', status: 'succeeded' },
    { step: 'main', status: 'succeeded', last_four: '4242', explanation: '$49.00 charged for the order.' },
  ]);
  expect(JSON.stringify([listed, harness.published])).not.toContain('sim_ok');
});

test('an attempt that is requested without a card is looked up over NATS: what the processor does not have is declined, and nothing is sent', async () => {
  const account = newAccount();
  const begunMs = harness.clock.nowMs() - 600_000;
  const orderId = newId('order', begunMs);
  const begunAt = new Date(begunMs).toISOString();
  const input = { ...startInput({ orderId, begunAt }), paymentMethod: null };
  const declined = { status: 'declined', attemptNo: 1, reason: 'try_again_later' };
  expect(await harness.requester.request(contract.startPayment, input, commandOf(account))).toMatchObject(declined);
  const withCard = { ...input, paymentMethod: 'sim_ok' };
  expect(await harness.requester.request(contract.startPayment, withCard, commandOf(account))).toMatchObject(declined);
});

test('a hold is captured with its upsell once the buyer accepts', async () => {
  const account = newAccount();
  const hold = { upsell: { upsellId: 'ups_1', headline: 'More', amountCents: 1500 }, decisionMinutes: 60 };
  const input = startInput({ hold });
  const outcome = await harness.requester.request(contract.startPayment, input, commandOf(account));
  expect(outcome.status).toBe('held');
  const decide = { orderId: input.orderId, decision: 'accepted' } as const;
  const result = await harness.requester.request(contract.settleHold, decide, commandOf(account));
  expect(contract.settleHold.output.strict().parse(result)).toEqual({
    status: 'settled',
    decision: 'accepted',
    upsell: hold.upsell,
    upsellDeclined: false,
    capturedCents: input.amountCents,
    processor: 'simulated',
  });
  const declined = { ...decide, decision: 'declined' } as const;
  expect(await harness.requester.request(contract.settleHold, declined, commandOf(account))).toEqual(result);
  const [settled] = await eventsOf(account, 'settledAt');
  expect(contract.holdSettled.data.strict().parse(settled?.data)).toMatchObject({ status: 'settled' });
});
