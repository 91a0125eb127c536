import { newId } from '@app/contracts/ids';
import { getPaymentProcessor } from '@app/contracts/payment-processors';
import { refundCharges } from '@app/contracts/payments';
import { stripeEventTypes } from '@app/contracts/stripe-events';
import { expect, test } from 'vitest';
import { eventTypes } from '../../src/processor-events/handlings.ts';
import { commandOf, harness, startServiceAtStripe, stripe } from '../set-up.ts';
import type { StripeEvent, StripeObject } from '../stripe/objects.ts';
import { openStripeShop, type StripeShop } from '../stripe-shop.ts';

/** Guarantee: what only the seller can do something about is said when Stripe says it, once. */
startServiceAtStripe({ PROCESSOR_DEADLINE_MS: 10_000, STRIPE_REQUESTS_PER_SECOND: 1_000 });

const books = ({ key }: StripeShop) => stripe.booksOf(key);
const paid = async (shop: StripeShop) => {
  const orderId = newId('order', harness.clock.nowMs());
  await shop.pay({ orderId });
  const intent = shop.intents().at(-1);
  if (intent === undefined) throw new Error('Stripe has no payment');
  return { orderId, intent };
};

/** A second event about the same change, as Stripe may send it. */
async function receiveAgain(shop: StripeShop): Promise<void> {
  const last = books(shop).all<StripeEvent>('event').at(-1);
  if (last !== undefined) books(shop).report(last.type, last.data.object);
  await shop.receive();
}

test('the types that the page lists for an endpoint made by hand are those that are handled', () => {
  expect(stripeEventTypes).toEqual(eventTypes);
});

test('of an early fraud warning the seller is notified once, and is offered a refund; of other money and of what went back they are not', async () => {
  const shop = await openStripeShop();
  const { orderId, intent } = await paid(shop);
  for (let sent = 0; sent < 2; sent += 1) {
    books(shop).warnOfFraud(intent.id);
    await shop.receive();
  }
  const warnings = async () => (await shop.notified()).filter((text) => text.includes('fraud'));
  expect(await warnings()).toEqual([expect.stringContaining(`$49.00 of order ${orderId}`)]);
  expect((await warnings())[0]).toContain('Refund the order');
  const given = { amount: 900, currency: 'usd', payment_method: 'pm_card_visa', capture_method: 'automatic' };
  books(shop).warnOfFraud(books(shop).pay(given, () => '').id);
  await shop.receive();
  const second = await paid(shop);
  await harness.requester.request(refundCharges, { orderId: second.orderId }, commandOf(shop.account));
  books(shop).warnOfFraud(second.intent.id);
  await shop.receive();
  expect(await warnings()).toHaveLength(1);
});

test('a failed payout is notified once', async () => {
  const shop = await openStripeShop();
  books(shop).failPayout(120_000, 'usd');
  await shop.receive();
  await receiveAgain(shop);
  const payouts = (await shop.notified()).filter((text) => text.includes('payout'));
  expect(payouts).toEqual([expect.stringContaining('Stripe Dashboard')]);
});

test('when Stripe says that the account changed it is read anew', async () => {
  const shop = await openStripeShop();
  books(shop).disabled = { reason: 'requirements.past_due', due: ['company.tax_id'] };
  books(shop).report('account.updated', { id: `acct_${shop.account}`, object: 'account' } as StripeObject);
  await shop.receive();
  const { stripe: keys } = await harness.requester.request(getPaymentProcessor, {}, commandOf(shop.account));
  expect(keys?.live).toMatchObject({ charges_enabled: false, requirements_due: ['company.tax_id'] });
  expect((await shop.notified()).filter((text) => text.includes('company.tax_id'))).toHaveLength(1);
});

test('a card that is removed at Stripe is said of the subscription that renews with it, alone and once', async () => {
  const shop = await openStripeShop();
  const [removed, kept, deleted] = [await shop.subscribe(), await shop.subscribe(), await shop.subscribe()];
  const cardOf = async (orderId: string) => (await shop.subscription(orderId)).payment_method.split('/');
  books(shop).detach((await cardOf(removed))[1] ?? '');
  await shop.receive();
  await receiveAgain(shop);
  books(shop).deleteCustomer((await cardOf(deleted))[0] ?? '');
  await shop.receive();
  const { intent } = await paid(shop);
  books(shop).detach(intent.payment_method ?? '');
  await shop.receive();
  const texts = (await shop.notified()).filter((text) => text.includes('removed at Stripe'));
  expect(texts).toEqual([expect.stringContaining(removed), expect.stringContaining(deleted)]);
  expect(texts.join()).not.toContain(kept);
});
