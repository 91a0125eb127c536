import { accountSettingsChanged, newAccountSettings } from '@app/contracts/accounts';
import { startDailyRun } from '@app/contracts/daily-runs';
import { newId } from '@app/contracts/ids';
import { orderPaid } from '@app/contracts/orders';
import { putPaymentProcessor } from '@app/contracts/payment-processors';
import { settleHold, startPayment } from '@app/contracts/payments';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { startInput, upsell } from '../payment-samples.ts';
import { orderEvent } from '../samples.ts';
import { commandOf, harness, startServiceAtStripe, stripe } from '../set-up.ts';

const liveKey = 'sk_live_shop';
startServiceAtStripe({ PROCESSOR_DEADLINE_MS: 10_000, STRIPE_REQUESTS_PER_SECOND: 1_000 });
beforeAll(() => stripe.accept(liveKey));

let account: string;
beforeEach(async () => {
  stripe.requests.length = 0;
  account = newId('account', harness.clock.nowMs());
  const body = { processor: 'stripe' as const, live: { secretKey: liveKey, publishableKey: 'pk_live_shop' } };
  await harness.requester.request(putPaymentProcessor, { body }, commandOf(account));
});

const dayMs = 86_400_000;
const names = { handle: 'ada', businessName: 'Ada', supportEmail: 'ada@example.com' };
const change = (statementSuffix: string | null, revision: number) =>
  harness.deliver(accountSettingsChanged, {
    id: newId('event', Date.now()),
    accountId: account,
    data: { ...newAccountSettings, ...names, statementSuffix, revision, changedAt: '2026-03-15T12:00:00.000Z' },
  });
/** Of the requests that make payments at Stripe: what the seller and the buyer read of each. */
const said = () =>
  stripe.requests
    .filter(({ method, path }) => method === 'POST' && path === '/v1/payment_intents')
    .map(({ parameters: { description, statement_descriptor_suffix: suffix } }) => [description, suffix]);
const context = () => commandOf(account);

async function renewed(orderId: string): Promise<void> {
  const paidAt = harness.clock.now().toISOString();
  await harness.deliver(orderPaid, orderEvent(account, { orderId, paidAt, paymentMethod: null }));
  harness.clock.advance(32 * dayMs);
  await harness.requester.request(startDailyRun, { accountId: account, force: true }, context());
}

const start = (over: Parameters<typeof startInput>[0]) =>
  harness.requester.request(startPayment, startInput(over), commandOf(account));

test.each([
  ['incorrect_cvc', 'pm_card_chargeDeclinedIncorrectCvc', 4_900],
  ['expired_card', 'pm_card_chargeDeclinedExpiredCard', 4_900],
  ['insufficient_funds', 'pm_card_chargeDeclinedInsufficientFunds', 4_900],
  ['amount_too_small', 'pm_card_visa', 49],
  ['ask_bank', 'pm_standin_never_again', 4_900],
  ['card_declined', 'pm_card_chargeDeclinedLostCard', 4_900],
])('a buyer reads of a payment at Stripe: %s', async (reason, paymentMethod, amountCents) => {
  expect(await start({ paymentMethod, amountCents })).toMatchObject({ status: 'declined', reason });
});

test('the seller reads at Stripe what each payment is for, and who the buyer is; Stripe sends no receipt beside ours', async () => {
  const orderId = newId('order', harness.clock.nowMs());
  const customerName = 'Ada Lovelace';
  await start({ orderId, paymentMethod: 'pm_card_visa', hold: { upsell, decisionMinutes: 60 }, customerName });
  await harness.requester.request(settleHold, { orderId, decision: 'accepted' }, context());
  await renewed(orderId);
  expect(said()).toEqual([
    ['Course', undefined],
    ['More', undefined],
    ['Club', undefined],
  ]);
  const customers = stripe
    .booksOf(liveKey)
    .all<{ id: string; object: string; created: number; name: string }>('customer');
  expect(customers.at(-1)).toMatchObject({ name: customerName, email: 'buyer@example.com' });
  expect(stripe.requests.filter(({ parameters }) => 'receipt_email' in parameters)).toEqual([]);
});

test('the buyer’s statement ends with the seller’s setting, in the upsell and in renewals too', async () => {
  await change('KILN CLUB', 2);
  const orderId = newId('order', harness.clock.nowMs());
  await start({ orderId, paymentMethod: 'pm_card_visa', hold: { upsell, decisionMinutes: 60 } });
  await harness.requester.request(settleHold, { orderId, decision: 'accepted' }, context());
  await renewed(orderId);
  expect(said().map(([, suffix]) => suffix)).toEqual(['KILN CLUB', 'KILN CLUB', 'KILN CLUB']);
});
