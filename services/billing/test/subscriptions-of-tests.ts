import type { EventData } from '@app/contracts/define';
import { newId } from '@app/contracts/ids';
import type { orderPaid } from '@app/contracts/orders';
import type { StartInput } from '../src/charging/new-attempt.ts';
import { startPayment } from '../src/charging/start-payment.ts';
import type { SubscriptionAfter } from '../src/subscriptions/renewals/renewal.rules.ts';
import { startSubscriptions } from '../src/subscriptions/start-subscriptions.ts';
import { newAccount, type Replica, type Replicas } from './payment-replicas.ts';
import { startInput } from './payment-samples.ts';
import { orderEvent } from './samples.ts';

/** A subscription as its row has it, the token left out. */
export interface SubscriptionState extends SubscriptionAfter {
  readonly id: string;
  readonly order_id: string;
  readonly last_four: string | null;
}

/** An order that was recorded with a card starts a subscription; a month of 19 dollars by default. */
export async function subscribe(
  replicas: Replicas,
  account: string,
  fields: Partial<EventData<typeof orderPaid>> = {},
): Promise<{ id: string; orderId: string }> {
  const [started] = await subscribeMany(replicas, account, 1, fields);
  return started as { id: string; orderId: string };
}

/** A subscription, and the process of billing that works on it. */
export interface Life {
  readonly account: string;
  readonly id: string;
  readonly orderId: string;
  readonly replica: Replica;
}

/** Of a new account, beginning now; a month of 19 dollars by default. */
export async function beginLife(replicas: Replicas, fields: Partial<EventData<typeof orderPaid>> = {}): Promise<Life> {
  const account = newAccount();
  return { account, ...(await subscribe(replicas, account, fields)), replica: replicas.start() };
}

/** Of an order that a buyer has paid: it can be given back, and renewals are charged to the buyer's card. */
export async function beginPaidLife(replicas: Replicas, fields: Partial<StartInput> = {}) {
  const [account, replica, input] = [newAccount(), replicas.start(), startInput(fields)];
  const caller = { accountId: account, requestId: 'r' };
  await startPayment(replica.deps, caller, input);
  const subscription = await subscribe(replicas, account, { orderId: input.orderId, paymentMethod: null });
  return { account, ...subscription, replica, caller };
}

/** So many of them in one transaction. */
export async function subscribeMany(
  { database, clock }: Replicas,
  account: string,
  count: number,
  fields: Partial<EventData<typeof orderPaid>> = {},
): Promise<{ id: string; orderId: string }[]> {
  const paidAt = clock.now().toISOString();
  const orders = Array.from({ length: count }, () =>
    orderEvent(account, { orderId: newId('order', clock.nowMs()), paidAt, paymentMethod: 'sim_ok', ...fields }),
  );
  const stored = orders.map((order) => ({
    ...order,
    ...{ occurredAt: order.data.paidAt, requestId: null, traceparent: undefined },
  }));
  await database.transaction((client) => startSubscriptions(client, stored));
  return orders.map(({ data: { orderId } }) => ({ id: `sub_${orderId.slice(-26)}`, orderId }));
}

export async function readSubscription({ database }: Replicas, id: string): Promise<SubscriptionState> {
  const { rows } = await database.pool.query<SubscriptionState>(
    `select id, order_id, status, failed_tries, hard_declined, free_attempt, period, current_period_end, next_charge_at,
       canceled_at, last_four
     from subscriptions where id = $1`,
    [id],
  );
  return rows[0] as SubscriptionState;
}

export interface RenewalState {
  readonly period: number;
  readonly status: string;
  readonly starts_at: Date;
  readonly ends_at: Date;
  readonly paid_at: Date | null;
  readonly payment_id: string | null;
}

export async function readRenewals({ database }: Replicas, id: string): Promise<RenewalState[]> {
  const { rows } = await database.pool.query<RenewalState>(
    `select period, status, starts_at, ends_at, paid_at, payment_id from renewals
     where subscription_id = $1 order by period`,
    [id],
  );
  return rows;
}

/** What became of a subscription, as its events report it, in their order. */
export async function readStory(replicas: Replicas, account: string, id: string): Promise<Record<string, unknown>[]> {
  const events = await replicas.events(account);
  return events
    .filter(({ subject, data }) => subject.startsWith('evt.billing.subscription.') && data.subscriptionId === id)
    .map(({ subject, data }) => ({ event: subject.slice('evt.billing.subscription.'.length, -'.v1'.length), ...data }))
    .filter(({ event }) => event !== 'started');
}
