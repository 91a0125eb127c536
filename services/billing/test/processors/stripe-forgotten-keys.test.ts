import { expect, onTestFinished, test } from 'vitest';
import { dayMs } from '../payment-replicas.ts';
import { harness, startServiceAtStripe, stripe } from '../set-up.ts';
import { openStripeShop } from '../stripe-shop.ts';

/** Stripe keeps an idempotency key for 24 hours (docs.stripe.com/api/idempotent_requests): then the same sending charges anew. */
startServiceAtStripe({ PROCESSOR_DEADLINE_MS: 10_000, STRIPE_REQUESTS_PER_SECOND: 1_000 });

test('a renewal whose answer is lost while the machine sleeps for days is looked up, and charged once', async () => {
  onTestFinished(() => stripe.mend());
  const shop = await openStripeShop();
  const orderId = await shop.subscribe();
  harness.clock.advance(31 * dayMs);
  let slept: Promise<void> | undefined;
  stripe.disturb(({ method, path, idempotencyKey = '' }) => {
    if (slept !== undefined || method !== 'POST' || path !== '/v1/payment_intents') return undefined;
    // The connection is broken when the machine wakes; no timer has measured the time meanwhile.
    slept = stripe.arrived(idempotencyKey).then(() => harness.clock.advance(3 * dayMs));
    return 'broken_after';
  });
  await shop.run();
  await slept;
  expect(shop.intents()).toHaveLength(2);
  harness.clock.advance(dayMs);
  expect(await shop.run()).toMatchObject({ ok: true });
  expect(shop.intents()).toHaveLength(2);
  expect(await shop.subscription(orderId)).toMatchObject({ status: 'active', period: 2, failed_tries: 0 });
});
