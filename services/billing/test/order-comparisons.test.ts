import type { RequestInput } from '@app/contracts/define';
import { newId } from '@app/contracts/ids';
import {
  type ComparedOrder,
  comparedOrdersMax,
  type followPayments,
  ordersToCompare,
} from '@app/contracts/order-comparisons';
import { orderPaid } from '@app/contracts/orders';
import { isDeath } from '@app/testing/dying-process';
import { volume } from '@app/testing/long';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { settleHold } from '../src/advancing/settle-hold.ts';
import type { Payment } from '../src/charging/payment.types.ts';
import { startPayment } from '../src/charging/start-payment.ts';
import { compareOrders } from '../src/reconciliation/order-comparisons/compare-orders.ts';
import type { ComparisonDeps } from '../src/reconciliation/order-comparisons/compare-page.ts';
import { refundCharges } from '../src/refunds/refund-charges.ts';
import { reopenCharges } from '../src/refunds/reopen-charges.ts';
import { noCounts } from '../src/runs/daily-counts.rules.ts';
import { apiOrder, paidOrder } from './compared-orders.ts';
import { copyDatabase } from './database-copy.ts';
import { dyingAt } from './dying-process.ts';
import { hourMs, minuteMs, newAccount, type Replica, runOf } from './payment-replicas.ts';
import { startInput, upsell } from './payment-samples.ts';
import { orderEvent } from './samples.ts';
import { openReplicas, replicas } from './set-up.ts';

openReplicas();

let replica: Replica;
let account: string;
let checkout: Checkout;

beforeAll(async () => {
  replica = replicas.start();
});
beforeEach(() => {
  account = newAccount();
  checkout = new Checkout();
});

type Said = RequestInput<typeof followPayments>;

/** Checkout as its contract says: orders by their ids, and what they were said to follow. */
class Checkout {
  readonly orders = new Map<string, ComparedOrder>();
  readonly requested: RequestInput<typeof ordersToCompare>[] = [];
  readonly said: Said[] = [];
  answers = true;
  /** What an order becomes by what is said. */
  follows = (_said: Said): void => undefined;

  readonly request: ComparisonDeps['requester']['request'] = async (definition, input) => {
    if (!this.answers) throw new Error('checkout does not answer');
    if (definition.name !== ordersToCompare.name) {
      this.said.push(input as Said);
      this.follows(input as Said);
      return { failed: [] } as never;
    }
    const which = input as RequestInput<typeof ordersToCompare>;
    this.requested.push(which);
    return { orders: this.#find(which).slice(0, comparedOrdersMax) } as never;
  };

  #find(which: RequestInput<typeof ordersToCompare>): ComparedOrder[] {
    const orders = [...this.orders.values()].toSorted((a, b) => (a.orderId < b.orderId ? -1 : 1));
    if ('orderIds' in which) return orders.filter(({ orderId }) => which.orderIds.includes(orderId));
    const { after, until, open } = which;
    return orders.filter(
      ({ orderId, status }) => orderId > after && orderId < until && (!open || status === 'authorized'),
    );
  }
}

/** The step of a daily run that compares orders, twenty minutes after what was done last; the problems that it names. */
async function compare(by: Replica = replica): Promise<string[]> {
  const counts = noCounts();
  const step = compareOrders({ ...by.deps, requester: checkout });
  await step(by.deps, runOf(account, by.deps), counts);
  return counts.problems.map(({ code }) => code);
}

const caller = () => ({ accountId: account, requestId: 'r' });

async function pay(fields: Parameters<typeof startInput>[0] = {}): Promise<string> {
  const input = startInput({ orderId: newId('order', replicas.clock.nowMs()), ...fields });
  await startPayment(replica.deps, caller(), input);
  return input.orderId;
}

const reportedOf = async () =>
  (await replicas.events(account)).flatMap(({ subject, data }) =>
    subject === 'evt.billing.daily-run.noticed.v1' ? [data] : [],
  );

const subscriptions = async () =>
  (
    await replicas.database.pool.query(
      'select order_id, status, collection, amount_cents from subscriptions where account_id = $1',
      [account],
    )
  ).rows;

test('an authorized order whose hold is settled follows it, though the event was lost', async () => {
  const orderId = await pay({ hold: { upsell, decisionMinutes: 60 } });
  checkout.orders.set(orderId, paidOrder(orderId, { status: 'authorized' }));
  await settleHold(replica.deps, caller(), orderId, 'accepted');
  // What has just been settled is on its way.
  expect(await compare()).toEqual([]);
  expect(checkout.said).toEqual([]);
  replicas.clock.advance(20 * minuteMs);
  checkout.follows = () => checkout.orders.set(orderId, paidOrder(orderId, { totalCents: 6400 }));
  expect(await compare()).toEqual([]);
  const [settled] = (await replicas.events(account)).filter(({ subject }) => subject.includes('hold.settled'));
  expect(checkout.said).toEqual([{ completed: [], settled: [settled?.data] }]);
  expect(await compare()).toEqual([]);
  expect(checkout.said).toHaveLength(1);
});

test('an order whose hold a restored backup lacks has its attempt looked up, and its hold is settled as any other', async () => {
  const begunAt = replicas.clock.now().toISOString();
  const attempt = startInput({
    ...{ orderId: newId('order', replicas.clock.nowMs()), begunAt },
    hold: { upsell, decisionMinutes: 60 },
  });
  const { orderId } = attempt;
  const copy = await copyDatabase(replicas.database);
  await startPayment(replica.deps, caller(), attempt);
  await copy.restore();
  const { paymentMethod: _, ...looked } = attempt;
  checkout.orders.set(orderId, paidOrder(orderId, { status: 'authorized', attempt: looked }));
  replicas.clock.advance(20 * minuteMs);
  expect(await compare()).toEqual([]);
  expect(await replicas.money(account, orderId)).toMatchObject({ hold: { status: 'held' } });
  expect(await compare()).toEqual([]);
  replicas.clock.advance(61 * minuteMs);
  await replica.round();
  expect(await replicas.money(account, orderId)).toMatchObject({ hold: { status: 'settled', capturedCents: 4_900 } });
  const settled = (await replicas.events(account)).filter(({ subject }) => subject.includes('hold.settled'));
  expect(settled).toMatchObject([{ data: { orderId, status: 'settled' } }]);
  expect((await replicas.books(account)).map(({ kind, status }) => [kind, status])).toEqual([
    ['hold', 'succeeded'],
    ['capture', 'succeeded'],
  ]);
});

test('an order whose hold neither billing nor the processor has is reported once, and nothing is sent', async () => {
  const begunAt = replicas.clock.now().toISOString();
  const { paymentMethod: _, ...attempt } = startInput({
    ...{ orderId: newId('order', replicas.clock.nowMs()), begunAt },
    hold: { upsell, decisionMinutes: 60 },
  });
  const { orderId } = attempt;
  checkout.orders.set(orderId, paidOrder(orderId, { status: 'authorized', attempt }));
  replicas.clock.advance(20 * minuteMs);
  for (let run = 0; run < 2; run += 1) {
    expect(await compare()).toEqual(['orders_differ']);
    replicas.clock.advance(20 * minuteMs);
  }
  expect(await reportedOf()).toMatchObject([{ code: 'order_differs', orderId }]);
  expect(await replicas.books(account)).toEqual([]);
});

test('an order that is missing though its charge succeeded follows it; one that cannot is reported once, with both sides', async () => {
  const [lost, impossible] = [await pay(), await pay()];
  replicas.clock.advance(20 * minuteMs);
  checkout.follows = () => checkout.orders.set(lost, paidOrder(lost));
  for (let run = 0; run < 2; run += 1) expect(await compare()).toEqual(['orders_differ']);
  const completed = (await replicas.events(account)).filter(({ subject }) => subject.includes('payment.completed'));
  expect(checkout.said[0]?.completed).toEqual(expect.arrayContaining(completed.map(({ data }) => data)));
  const summary = expect.stringContaining(`Of the payments of order ${impossible} $49.00 was charged`);
  expect(await reportedOf()).toEqual([{ code: 'order_differs', summary, orderId: impossible, test: false }]);
  checkout.orders.set(impossible, paidOrder(impossible));
  expect(await compare()).toEqual([]);
});

test('an order with another amount than its payments is reported once, for as long as both differ', async () => {
  const orderId = await pay();
  checkout.orders.set(orderId, paidOrder(orderId, { totalCents: 9900 }));
  replicas.clock.advance(20 * minuteMs);
  expect(await compare()).toEqual(['orders_differ']);
  replicas.clock.advance(72 * hourMs);
  expect(await compare()).toEqual(['orders_differ']);
  expect(await reportedOf()).toHaveLength(1);
  checkout.orders.set(orderId, paidOrder(orderId));
  expect(await compare()).toEqual([]);
});

test('a sold subscription that is missing is made once, on the card that paid for it', async () => {
  const orderId = await pay();
  const subscription = {
    ...{ productId: 'prd_1', productName: 'Course', customerEmail: 'ada@example.com', priceCents: 1900 },
    ...{ billingInterval: 'month' as const, affiliateNamed: true, paidAt: replicas.clock.now().toISOString() },
  };
  checkout.orders.set(orderId, paidOrder(orderId, { subscription }));
  replicas.clock.advance(20 * minuteMs);
  const runs = await Promise.all([compare(), compare(replicas.start()), compare()]);
  expect(runs).toEqual([[], [], []]);
  expect(await subscriptions()).toEqual([
    { order_id: orderId, status: 'active', collection: 'automatic', amount_cents: 1900 },
  ]);
  const started = (await replicas.events(account)).filter(({ subject }) => subject.includes('subscription.started'));
  expect(started).toHaveLength(1);
});

test('a subscription whose sale is a dead letter here is made from it, with the card that came with the order', async () => {
  const paidAt = replicas.clock.now().toISOString();
  const sale = orderEvent(account, {
    orderId: newId('order', replicas.clock.nowMs()),
    paidAt,
    paymentMethod: 'sim_ok',
  });
  const { orderId } = sale.data;
  await replicas.database.pool.query(
    `insert into dead_letters (event_id, stream, subject, payload, error) values ($1, 'EVT_CHECKOUT', $2, $3, 'a fault')`,
    [sale.id, orderPaid.subject, JSON.stringify(sale)],
  );
  expect(await compare()).toEqual([]);
  expect(await subscriptions()).toEqual([]);
  checkout.orders.set(orderId, apiOrder(orderId));
  for (let run = 0; run < 2; run += 1) expect(await compare()).toEqual([]);
  expect(await subscriptions()).toMatchObject([{ order_id: orderId, status: 'active', collection: 'automatic' }]);
  // More dead letters of sales that have theirs keep no later one from it.
  await replicas.database.pool.query(
    `insert into dead_letters (event_id, stream, subject, payload, error)
     select 'evt_0' || n, 'EVT_CHECKOUT', $1, $2, 'a fault' from generate_series(1, 100) as n`,
    [orderPaid.subject, JSON.stringify(sale)],
  );
  const late = { ...sale, data: { ...sale.data, orderId: newId('order', replicas.clock.nowMs()) } };
  await replicas.database.pool.query(
    `insert into dead_letters (event_id, stream, subject, payload, error) values ('evt_z', 'EVT_CHECKOUT', $1, $2, 'a fault')`,
    [orderPaid.subject, JSON.stringify(late)],
  );
  checkout.orders.set(late.data.orderId, apiOrder(late.data.orderId));
  expect(await compare()).toEqual([]);
  expect(await subscriptions()).toHaveLength(2);
});

test('dead letters of sales of no account, or whose order is not there, keep no sale from its subscription', async () => {
  const paidAt = replicas.clock.now().toISOString();
  const saleOf = (orderId: string) => orderEvent(account, { orderId, paidAt, paymentMethod: 'sim_ok' });
  const orderId = newId('order', replicas.clock.nowMs());
  await replicas.database.pool.query(
    `insert into dead_letters (event_id, stream, subject, payload, error)
     select 'evt_' || lpad(n::text, 26, '0'), 'EVT_CHECKOUT', $1, replace($2, 'ord_n', 'ord_' || n), 'a fault'
       from generate_series(1, 250) as n
     union all values ('evt_b', 'EVT_CHECKOUT', $1, '{', 'not JSON'), ('evt_c', 'EVT_CHECKOUT', $1, $3, 'a fault')`,
    [orderPaid.subject, JSON.stringify(saleOf('ord_n')), JSON.stringify(saleOf(orderId))],
  );
  checkout.orders.set(orderId, apiOrder(orderId));
  expect(await compare()).toEqual([]);
  expect(await subscriptions()).toMatchObject([{ order_id: orderId }]);
});

test('an order whose refund failed later is compared when the news of it had the time to arrive', async () => {
  const orderId = await pay();
  expect(await refundCharges(replica.deps, caller(), orderId)).toMatchObject({ status: 'refunded' });
  checkout.orders.set(orderId, paidOrder(orderId, { status: 'refunded', refundedCents: 4900 }));
  replicas.clock.advance(24 * hourMs);
  const { payments } = await replicas.money(account, orderId);
  const failed = payments.find(({ step }) => step === 'refund') as Payment;
  await reopenCharges(replica.deps, { ...failed, message: 'The account is closed.' });
  expect(await compare()).toEqual([]);
  replicas.clock.advance(20 * minuteMs);
  expect(await compare()).toEqual(['orders_differ']);
  checkout.orders.set(orderId, paidOrder(orderId));
  expect(await compare()).toEqual([]);
  expect(await reportedOf()).toHaveLength(1);
});

test('orders that checkout does not answer for are named, and compared by the next run', async () => {
  const orderId = await pay();
  replicas.clock.advance(20 * minuteMs);
  checkout.answers = false;
  expect(await compare()).toEqual(['orders_not_compared']);
  replicas.clock.advance(30 * 24 * hourMs);
  checkout.answers = true;
  expect(await compare()).toEqual([]);
  await replicas.database.pool.query('delete from order_comparisons where account_id = $1', [account]);
  checkout.orders.set(orderId, paidOrder(orderId));
  expect(await compare()).toEqual([]);
});

test('a run requests what is younger than the last one and for what is open, a page at a time', async () => {
  const old = newId('order', replicas.clock.nowMs() - 400 * 24 * hourMs);
  checkout.orders.set(old, paidOrder(old, { totalCents: 0 }));
  for (let order = 0; order < comparedOrdersMax + 5; order += 1) {
    const orderId = newId('order', replicas.clock.nowMs());
    checkout.orders.set(orderId, paidOrder(orderId, { totalCents: 0 }));
  }
  replicas.clock.advance(20 * minuteMs);
  expect(await compare()).toEqual([]);
  // What is open, and two pages of three days.
  expect(checkout.requested.splice(0)).toHaveLength(3);
  replicas.clock.advance(2 * hourMs);
  expect(await compare()).toEqual([]);
  replicas.clock.advance(2 * hourMs);
  checkout.requested.splice(0);
  expect(await compare()).toEqual([]);
  expect(checkout.requested).toHaveLength(2);
});

/** An odd step kills before statements and after them. */
const seamStep = volume(5, 1);

test('a process that is killed at any point of the comparison leaves each difference reported once', async () => {
  for (let seam = 1; seam <= 60; seam += seamStep) {
    account = newAccount();
    checkout = new Checkout();
    const [wrong, lagging] = [await pay(), await pay({ hold: { upsell, decisionMinutes: 60 } })];
    checkout.orders.set(wrong, paidOrder(wrong, { totalCents: 100 }));
    checkout.orders.set(lagging, paidOrder(lagging, { status: 'authorized' }));
    checkout.follows = () => checkout.orders.set(lagging, paidOrder(lagging));
    await settleHold(replica.deps, caller(), lagging, 'declined');
    replicas.clock.advance(20 * minuteMs);
    const process = dyingAt(seam);
    const died = await compare(replicas.start(process)).then(
      (problems) => problems.includes('orders_not_compared'),
      isDeath,
    );
    await Promise.all([compare(), compare(replicas.start())]);
    expect((await reportedOf()).map(({ orderId }) => orderId)).toEqual([wrong]);
    if (!died && !process.dead) return;
  }
  throw new Error('the comparison has more seams than were tried');
});
