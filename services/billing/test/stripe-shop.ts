import { startDailyRun } from '@app/contracts/daily-runs';
import { newId } from '@app/contracts/ids';
import { orderPaid } from '@app/contracts/orders';
import { putPaymentProcessor } from '@app/contracts/payment-processors';
import { startPayment } from '@app/contracts/payments';
import { receiveProcessorEvent } from '@app/contracts/processor-events';
import { listen } from '@app/testing/points';
import { query } from '@app/testing/sql';
import { processorEventHandled } from '../src/points/points.ts';
import { dayMs } from './payment-replicas.ts';
import { startInput } from './payment-samples.ts';
import { orderEvent } from './samples.ts';
import { commandOf, harness, stripe } from './set-up.ts';
import type { PaymentIntent, StripeEvent } from './stripe/objects.ts';
import { signedEvent } from './stripe/sent-events.ts';

/** A seller whose Stripe account is their own, and what they and their buyers do. */
export interface StripeShop {
  readonly account: string;
  readonly key: string;
  /** Pays for an order, or tries to once more. */
  pay(fields?: Parameters<typeof startInput>[0]): Promise<{ readonly status: string; readonly reason: string | null }>;
  /**
   * A monthly subscription that was bought now, by a customer of its own, or that says so many days ago: after 31 it is due, and a run
   * that charges it reads no month of Stripe's lists, which takes a second.
   * @returns its order
   */
  subscribe(daysAgo?: number): Promise<string>;
  run(): Promise<{ readonly ok: boolean; readonly problems: readonly unknown[] }>;
  /** As the database has it. */
  subscription(orderId: string): Promise<SubscriptionRow>;
  /** Summaries of the notifications so far. */
  notified(): Promise<string[]>;
  intents(): PaymentIntent[];
  /** Stripe sends the last event of its books to the shop's endpoint. Resolves once it was handled. */
  receive(): Promise<void>;
}

interface SubscriptionRow {
  readonly id: string;
  readonly status: string;
  readonly period: number;
  readonly failed_tries: number;
  readonly hard_declined: boolean;
  readonly payment_method: string;
}

export async function openStripeShop(key = `sk_live_${newId('account', harness.clock.nowMs())}`): Promise<StripeShop> {
  const account = newId('account', harness.clock.nowMs());
  const context = () => ({ ...commandOf(account), waitMs: 100_000 });
  stripe.accept(key, `acct_${account}`);
  const webhookSecret = `whsec_${account}`;
  const live = { secretKey: key, publishableKey: 'pk_live_shop', webhookSecret };
  await harness.requester.request(putPaymentProcessor, { body: { processor: 'stripe', live } }, context());
  const pay: StripeShop['pay'] = (fields) =>
    harness.requester.request(startPayment, startInput({ paymentMethod: 'pm_card_visa', ...fields }), context());
  return {
    account,
    key,
    pay,
    subscribe: async (daysAgo = 0) => {
      const orderId = newId('order', harness.clock.nowMs());
      const customerEmail = `${orderId}@example.com`;
      await pay({ orderId, customerEmail });
      const paidAt = new Date(harness.clock.nowMs() - daysAgo * dayMs).toISOString();
      await harness.deliver(orderPaid, orderEvent(account, { orderId, customerEmail, paidAt, paymentMethod: null }));
      return orderId;
    },
    run: () => harness.requester.request(startDailyRun, { accountId: account, force: true }, context()),
    subscription: async (orderId) => {
      const columns = 'id, status, period, failed_tries, hard_declined, payment_method';
      const sql = `select ${columns} from subscriptions where account_id = $1 and order_id = $2`;
      const [row] = await query<SubscriptionRow>(harness.databaseUrl, sql, [account, orderId]);
      if (row === undefined) throw new Error('the order began no subscription');
      return row;
    },
    notified: async () =>
      (await harness.publishedOf(account)).flatMap(({ data }) => ('summary' in data ? [String(data.summary)] : [])),
    receive: async () => {
      const event = stripe.booksOf(key).all<StripeEvent>('event').at(-1);
      if (event === undefined) throw new Error('Stripe has no event');
      const { body, signature } = signedEvent(event, { secrets: [webhookSecret] });
      const input = { processor: 'stripe', body: body.toString('base64'), signature } as const;
      const from = listen();
      await harness.requester.request(receiveProcessorEvent, input, context());
      await from.announced(processorEventHandled, ({ eventId }) => eventId === event.id);
    },
    intents: () => stripe.booksOf(key).all<PaymentIntent>('payment_intent'),
  };
}
