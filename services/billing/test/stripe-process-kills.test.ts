import { join } from 'node:path';
import { startDailyRun } from '@app/contracts/daily-runs';
import { newId } from '@app/contracts/ids';
import { putPaymentProcessor } from '@app/contracts/payment-processors';
import { connectNats } from '@app/messaging/connect';
import { createRequester } from '@app/messaging/requester';
import { spawnNode } from '@app/testing/child-service';
import { guardLeaks } from '@app/testing/leak-guard';
import { volume } from '@app/testing/long';
import { createTestNats } from '@app/testing/nats';
import { atRandomMoments } from '@app/testing/pace';
import { createMigratedDatabase } from '@app/testing/postgres';
import { query } from '@app/testing/sql';
import { expect, test } from 'vitest';
import { migrate } from '../src/db/migrate.ts';
import { startCheckoutStandIn } from './checkout-stand-in.ts';
import { secretsKey } from './harness.ts';
import { newAccount } from './payment-replicas.ts';
import { seededRandom } from './processors/faulty-processor.ts';
import type { PaymentIntent } from './stripe/objects.ts';
import { randomRequestFaults } from './stripe/random-request-faults.ts';
import { StripeStandIn } from './stripe/stripe-stand-in.ts';

guardLeaks();

const [kills, renewals] = [volume(0, 50), volume(0, 500)];
const secretKey = 'sk_live_shop';
/** A kill comes within so long after its run was requested, in milliseconds: as long as a run of a portion may take. */
const killedWithinMs = 1_500;

const program = join(import.meta.dirname, '../src/main.ts');

/** Billing as a process of its own, beside Stripe's stand-in. */
async function startBilling(stack: AsyncDisposableStack) {
  const [database, nats] = await Promise.all([createMigratedDatabase('billing', migrate), createTestNats()]);
  stack.defer(async () => {
    await Promise.all([nats.close(), database.close()]);
  });
  const stripe = await StripeStandIn.start({ nowMs: () => Date.now() });
  stack.defer(() => stripe.close());
  const checkout = await startCheckoutStandIn(nats);
  stack.defer(() => checkout.close());
  const link = await connectNats(nats.login('gateway'));
  stack.defer(() => link.close());
  const own = {
    DATABASE_URL: database.url,
    SECRETS_KEY: secretsKey,
    PROCESSOR_DEADLINE_MS: '1000',
    LOG_LEVEL: 'error',
  };
  const at = { STRIPE_API_URL: stripe.url, STRIPE_REQUESTS_PER_SECOND: '1000' };
  const env = { ...nats.settings('billing'), ...own, ...at };
  const child = await spawnNode(program, env, { readyLine: /^billing ready$/ });
  stack.defer(() => child.kill('SIGTERM'));
  return { database, stripe, child, requester: createRequester(link) };
}

/** Subscriptions of these cards, due now. */
const dueStatement = `insert into subscriptions (id, account_id, order_id, product_id, product_name, customer_email, amount_cents,
   currency, billing_interval, status, collection, payment_method, processor, anchor, period, current_period_end,
   next_charge_at, started_at, test, affiliate_named)
 select 'sub_' || n, $1, 'ord_' || n, 'prd_1', 'Club', 'ada@example.com', 1900, 'usd', 'month', 'active', 'automatic', card,
   'stripe', now() - interval '1 month', 1, now(), now(), now() - interval '1 month', false, false
 from unnest($2::text[], $3::text[]) as due(n, card)`;

/** A minute and more passes for what has no outcome: runs look up what is older. */
const passStatement = `update payments set created_at = created_at - interval '2 minutes', sent_at = sent_at - interval '2 minutes',
   next_check_at = least(next_check_at, now()) where finished_at is null`;

test.runIf(kills > 0)(
  `a process of billing that is killed ${kills} times in ${renewals} renewals charges each once, and both books are equal`,
  async () => {
    await using stack = new AsyncDisposableStack();
    const { database, stripe, child, requester } = await startBilling(stack);
    const account = newAccount();
    const context = (waitMs: number) => ({
      ...{ accountId: account, requestId: 'r', waitMs },
      commandId: newId('event', Date.now()).slice(-26),
    });
    stripe.accept(secretKey);
    const live = { secretKey, publishableKey: 'pk_live_shop' };
    await requester.request(putPaymentProcessor, { body: { processor: 'stripe', live } }, context(10_000));
    const books = stripe.booksOf(secretKey);
    const savedCard = (): string => {
      const customer = books.keep({ id: books.newId('cus'), object: 'customer', created: 1 }).id;
      const method = books.methodOf({ payment_method: 'pm_card_visa' });
      method.customer = customer;
      return `${customer}/${method.id}`;
    };
    const run = (waitMs = 60_000) =>
      requester.request(startDailyRun, { accountId: account, force: true }, context(waitMs));
    stripe.disturb(randomRequestFaults(seededRandom(29)));
    const orders: string[] = [];
    let midway = 0;
    for (let kill = 0; kill < kills; kill += 1) {
      const portion = Array.from({ length: renewals / kills }, () => newId('order', Date.now()).slice(4));
      orders.push(...portion.map((id) => `ord_${id}`));
      await query(database.url, dueStatement, [account, portion, portion.map(savedCard)]);
      const cut = run(killedWithinMs).catch(() => undefined);
      await atRandomMoments(1, killedWithinMs, () => child.kill());
      await cut;
      const [open] = await query<{ count: number }>(
        database.url,
        'select count(*)::int as count from payments where finished_at is null',
      );
      midway += open?.count === 0 ? 0 : 1;
      await query(database.url, passStatement);
      await child.restart();
    }
    // Otherwise the kills met nothing.
    expect(midway).toBeGreaterThan(kills / 4);
    await stripe.deliverLate();
    stripe.mend();
    for (let round = 0; round < 3; round += 1) {
      await run();
      await query(database.url, passStatement);
    }
    expect(await run()).toMatchObject({ ok: true, problems: [] });
    const there = books
      .all<PaymentIntent>('payment_intent')
      .filter(({ status }) => status === 'succeeded')
      .map(({ id, metadata }) => `${metadata.funnelry_order} ${metadata.funnelry_payment} ${id}`);
    const here = await query<{ charge: string }>(
      database.url,
      `select p.order_id || ' ' || c.id || ' ' || c.reference as charge from charges as c join payments as p on p.id = c.id`,
    );
    expect(here.map(({ charge }) => charge).toSorted()).toEqual(there.toSorted());
    expect(there.map((charge) => charge.split(' ')[0]).toSorted()).toEqual(orders.toSorted());
    const rebilled = `select payload::json -> 'data' ->> 'orderId' as id from outbox where subject like '%subscription.rebilled%'`;
    const reported = await query<{ id: string }>(database.url, rebilled);
    expect(reported.map(({ id }) => id).toSorted()).toEqual(orders.toSorted());
  },
);
