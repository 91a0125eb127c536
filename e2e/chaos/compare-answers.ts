import { query } from '@app/testing/sql';
import type { ActionRecord, Answers, BuyersRecord } from './answers.ts';
import { type Books, type Comparing, type Comparison, comparing, type Order, type Subscription } from './books.ts';
import type { World } from './world.ts';

interface StoredCheckout {
  readonly id: string;
  readonly status: string;
  readonly order_id: string | null;
}

/** No answer says what did not happen. */
export async function compareAnswers(world: World, books: Books, answers: Answers): Promise<Comparison[]> {
  const url = world.cluster.databaseUrl('checkout');
  const checkouts = await query<StoredCheckout>(url, 'select id, status, order_id from checkouts');
  const stored = new Map(checkouts.map((checkout) => [checkout.id, checkout]));
  const orders = new Map(books.orders.map((order) => [order.id, order]));
  const buyers = comparing('last answers of buyers, what is stored');
  const captured = ordersCapturedThere(books, answers);
  for (const record of answers.buyers)
    compareBuyer(buyers, record, stored.get(record.checkoutId), { orders, captured });
  return [buyers, compareSellers(books, answers, orders)];
}

/** Of a hold that the seller captured in part at Stripe itself the order costs what was taken. */
const ordersCapturedThere = ({ holds }: Books, { capturedThere }: Answers): ReadonlySet<string> =>
  new Set(holds.filter(({ reference }) => capturedThere.has(reference)).map(({ order_id }) => order_id));

function compareBuyer(
  comparison: Comparing,
  { checkoutId, last, paid, decided, history }: BuyersRecord,
  checkout: StoredCheckout | undefined,
  { orders, captured }: { readonly orders: ReadonlyMap<string, Order>; readonly captured: ReadonlySet<string> },
): void {
  const order = orders.get(paid?.orderId ?? last?.orderId ?? checkout?.order_id ?? '');
  const line = `checkout ${checkoutId}, last answer ${last?.status}`;
  const evidence = { checkout, order, last, paid, history };
  if (paid !== undefined) {
    comparison.equal(
      `${line}: id and total of the order`,
      [order?.id, order?.total_cents],
      [paid.orderId, paid.totalCents],
    );
    if (order?.status !== 'paid' && order?.status !== 'refunded')
      comparison.wrong(`${line}: its order is not paid`, evidence);
  } else if (last?.status === 'authorized') {
    // No buyer was charged for an upsell that they did not accept.
    const total = decided || captured.has(order?.id ?? '') ? order?.total_cents : last.totalCents;
    comparison.equal(`${line}: id and total of the order`, [order?.id, order?.total_cents], [last.orderId, total]);
  } else if (last?.status === 'declined') {
    comparison.lines += 1;
    if (order !== undefined) comparison.wrong(`${line}: it has an order`, evidence);
  } else {
    // A payment under way, or one that waited for the buyer at the bank, may have ended either way since.
    comparison.lines += 1;
  }
}

function compareSellers(books: Books, answers: Answers, orders: ReadonlyMap<string, Order>): Comparison {
  const comparison = comparing('last answers of sellers, what is stored');
  for (const [id, { totalCents }] of answers.recorded)
    comparison.equal(`recorded order ${id}`, orders.get(id)?.total_cents, totalCents);
  for (const order of books.orders)
    if (order.source === 'api' && !answers.recorded.has(order.id))
      comparison.wrong('an order that no answer named', order);
  const reopened = new Set(
    books.events.filter(({ subject }) => subject === 'evt.checkout.order.reopened.v1').map(({ data }) => data.orderId),
  );
  for (const id of answers.refundedOrders) {
    const status = orders.get(id)?.status;
    // A refund may fail at the processor after it was taken: then the seller got order.reopened.
    if (status !== 'refunded' && !reopened.has(id)) comparison.wrong(`refunded order ${id}`, status);
    comparison.lines += 1;
  }
  compareRefundedPayments(comparison, books, answers);
  compareActions(comparison, books, answers);
  compareCards(comparison, books, answers);
  return comparison;
}

function compareRefundedPayments(comparison: Comparing, { charges, payments }: Books, answers: Answers): void {
  const byId = new Map(charges.map((charge) => [charge.id, charge]));
  const failed = new Set(payments.filter(({ reason }) => reason === 'refund_failed').map(({ charge_id }) => charge_id));
  for (const [id, cents] of answers.refundedPayments) {
    comparison.lines += 1;
    const charge = byId.get(id);
    // As above: the charge of a refund that failed afterwards is open again.
    if (charge === undefined || (charge.refunded_cents < cents && !failed.has(id)))
      comparison.wrong(`payment ${id} of which ${cents} were answered as refunded`, charge);
  }
}

function compareActions(comparison: Comparing, { subscriptions, events }: Books, answers: Answers): void {
  // Also where the refund failed afterwards: what it ended stays ended. A lost dispute ends a subscription as a refund does.
  const ends = ({ subject, data }: Books['events'][number]): boolean =>
    subject === 'evt.checkout.order.refunded.v1' ||
    (subject === 'evt.billing.subscription.canceled.v1' && data.reason === 'dispute');
  const refunded = new Set(events.filter(ends).map(({ data }) => data.orderId));
  const byId = new Map(subscriptions.map((subscription) => [subscription.id, subscription]));
  for (const [id, { action, status }] of answers.actions) {
    const stored = byId.get(id);
    const isOrderRefunded = refunded.has(stored?.order_id);
    const expected = statesAfter(action, status, isOrderRefunded);
    comparison.lines += 1;
    if (stored === undefined || !expected.includes(stored.status))
      comparison.wrong(`subscription ${id} after ${action}, answered ${status}`, stored);
    else compareEnd(comparison, stored, action);
  }
}

/** How a subscription may stand in the end whose last action was answered so. */
function statesAfter(action: ActionRecord['action'], status: string, isOrderRefunded: boolean): readonly string[] {
  return {
    cancel: ['canceled'],
    // What is past due or paused, or whose period is over, ended at once.
    'cancel-at-end': isOrderRefunded || status === 'canceled' ? ['canceled'] : ['active', 'canceled'],
    keep: isOrderRefunded ? ['canceled'] : ['active', 'past_due', 'canceled'],
    // Renewals and their attempts are stopped, so only the refund of the order ends it.
    pause: isOrderRefunded ? ['canceled'] : ['paused'],
    resume: isOrderRefunded ? ['canceled'] : ['active', 'past_due', 'canceled'],
    'payment-method': isOrderRefunded ? ['canceled'] : ['active', 'past_due', 'canceled', 'paused'],
  }[action];
}

/** A cancellation for the end of the period stands until it is taken back. */
function compareEnd(comparison: Comparing, { id, status, ends }: Subscription, action: ActionRecord['action']): void {
  if (status !== 'active' || (action !== 'cancel-at-end' && action !== 'keep')) return;
  comparison.equal(`whether ${id} ends after ${action}`, ends, action === 'cancel-at-end');
}

/** A card of which a buyer was answered that it is saved was saved, unless it is the one that the subscription began with. */
function compareCards(comparison: Comparing, { subscriptions, payments }: Books, answers: Answers): void {
  const orders = new Map(subscriptions.map(({ id, order_id }) => [id, order_id]));
  const saved = payments.filter(({ step, status }) => step === 'card' && status === 'succeeded');
  const known = new Set(saved.map(({ order_id, card }) => `${order_id} ${card}`));
  for (const { subscriptionId, card } of answers.cards) {
    comparison.lines += 1;
    const orderId = orders.get(subscriptionId) ?? '';
    if (known.has(`${orderId} ${card}`) || answers.recorded.get(orderId)?.card === card) continue;
    comparison.wrong(`subscription ${subscriptionId}, whose card ${card} was answered as saved`, orderId);
  }
}
