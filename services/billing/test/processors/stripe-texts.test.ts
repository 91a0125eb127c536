import { newId } from '@app/contracts/ids';
import { putPaymentProcessor } from '@app/contracts/payment-processors';
import { startPayment } from '@app/contracts/payments';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { startInput } from '../payment-samples.ts';
import { commandOf, harness, startServiceAtStripe, stripe } from '../set-up.ts';

const liveKey = 'sk_live_shop';
startServiceAtStripe({ PROCESSOR_DEADLINE_MS: 3_000, STRIPE_REQUESTS_PER_SECOND: 1_000 });
beforeAll(() => stripe.accept(liveKey));

let account: string;
beforeEach(async () => {
  account = newId('account', Date.parse('2026-03-15T12:00:00.000Z'));
  const body = { processor: 'stripe' as const, live: { secretKey: liveKey, publishableKey: 'pk_live_shop' } };
  await harness.requester.request(putPaymentProcessor, { body }, commandOf(account));
});

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
