import type { ReceivedRequest } from '@app/testing/http-receiver';
import { type Books, type Comparing, type Comparison, comparing, type WrittenEvent } from './books.ts';
import type { Shop, World } from './world.ts';

/** Subjects of events that sellers can receive, and their published names. */
const published: Readonly<Record<string, string>> = {
  'evt.checkout.order.paid.v1': 'order.paid',
  'evt.checkout.order.refunded.v1': 'order.refunded',
  'evt.checkout.order.reopened.v1': 'order.reopened',
  'evt.checkout.order.expired.v1': 'order.expired',
  'evt.checkout.payment.refunded.v1': 'payment.refunded',
  'evt.checkout.dispute.opened.v1': 'dispute.opened',
  'evt.checkout.dispute.closed.v1': 'dispute.closed',
  'evt.checkout.upsell.accepted.v1': 'upsell.accepted',
  'evt.billing.subscription.rebilled.v1': 'subscription.rebilled',
  'evt.billing.subscription.payment-failed.v1': 'subscription.payment_failed',
  'evt.billing.subscription.canceled.v1': 'subscription.canceled',
  'evt.billing.subscription.paused.v1': 'subscription.paused',
  'evt.billing.subscription.resumed.v1': 'subscription.resumed',
  'evt.affiliate.affiliate.paid.v1': 'affiliate.paid',
};

interface Logged {
  readonly id: string;
  readonly event: string;
  readonly payload: Record<string, unknown> | null;
}

/** What services wrote is in the list of the API, and each endpoint got every event of the list at least once. */
export async function compareWebhooks(world: World, { events }: Books): Promise<Comparison[]> {
  const listed = comparing('events of the services, lists of the API');
  const received = comparing('events of the API, what receivers got');
  const byPath = Map.groupBy(world.receiver.requests, ({ path }) => path);
  for (const shop of world.shops) {
    const logged = await listEvents(shop);
    const own = events.filter(({ accountId, subject, data }) => {
      // A subscription that dunning ended fires nothing, unless the seller wants it; of a lost dispute `dispute.closed` says it.
      const isSent = data.sendWebhook !== false && !(subject.includes('payment.re') && data.disputeId !== undefined);
      return accountId === shop.seller.accountId && subject in published && isSent;
    });
    listed.equal(
      `events of ${shop.seller.accountId}`,
      own.map(({ id, subject }: WrittenEvent) => `${id} ${published[subject]}`).toSorted(),
      logged.map(({ id, event }) => `${id} ${event}`).toSorted(),
    );
    listed.lines += logged.length;
    for (const hook of shop.hooks) compareEndpoint(received, logged, { hook, requests: byPath.get(hook) ?? [] });
  }
  return [listed, received];
}

async function listEvents({ seller }: Shop): Promise<Logged[]> {
  const logged: Logged[] = [];
  for (let after = ''; ; ) {
    const { status, json, text } = await seller.call('GET', `/api/v1/events?limit=100${after}`);
    if (status !== 200) throw new Error(`the list of events answered ${status}: ${text}`);
    logged.push(...json.data);
    if (!json.has_more) return logged;
    after = `&after=${logged.at(-1)?.id}`;
  }
}

interface Endpoint {
  readonly hook: string;
  readonly requests: readonly ReceivedRequest[];
}

function compareEndpoint(comparison: Comparing, logged: readonly Logged[], { hook, requests }: Endpoint): void {
  const byId = Map.groupBy(requests, ({ headers }) => String(headers['webhook-id']));
  const known = new Map(logged.map((event) => [event.id, event]));
  for (const id of byId.keys())
    if (!known.has(id)) comparison.wrong(`${hook} got what is in no list`, byId.get(id)?.[0]?.body);
  for (const { id, event, payload } of logged) {
    const attempts = byId.get(id);
    if (attempts === undefined) {
      comparison.wrong(`${hook} never got ${id}`, payload ?? event);
      continue;
    }
    const bodies = [...new Set(attempts.map(({ body }) => body))];
    comparison.equal(`bodies of ${id} at ${hook}`, bodies.length, 1);
    comparison.equal(`name of ${id} at ${hook}`, attempts[0]?.headers['x-service-event'], event);
    // The list keeps payloads for 30 days of the clock, which the run exceeds.
    if (payload !== null)
      comparison.equal(`payload of ${id} at ${hook}`, sorted(JSON.parse(bodies[0] ?? '')), sorted(payload));
  }
}

const sorted = (fields: Record<string, unknown>): unknown =>
  Object.entries(fields).toSorted(([one], [other]) => (one < other ? -1 : 1));

/** What lost disputes gave back counts as refunds. */
const refundsOfDisputes = (events: readonly WrittenEvent[]): string[] =>
  events.flatMap(({ subject, data }) => {
    const { givenBack = null } = data as { readonly givenBack?: { readonly refundId: string } | null };
    return subject === 'evt.billing.dispute.recorded.v1' && givenBack !== null ? [givenBack.refundId] : [];
  });

/** Each thing that happened was published once: order by order, period by period. */
export function compareEvents({ events, orders, payments, renewals, subscriptions }: Books): Comparison {
  const comparison = comparing('events of the services, what is stored');
  const idsOf = (subject: string, id: (data: WrittenEvent['data']) => string): string[] =>
    events
      .filter((event) => event.subject === subject)
      .map(({ data }) => id(data))
      .toSorted();
  const orderOf = ({ orderId }: WrittenEvent['data']): string => String(orderId);
  const paidOrders = orders.filter(({ status }) => status === 'paid' || status === 'refunded');
  comparison.equal(
    'order.paid',
    idsOf('evt.checkout.order.paid.v1', orderOf),
    paidOrders.map(({ id }) => id).toSorted(),
  );
  const upsold = paidOrders.filter(({ items }) => items.some(({ kind }) => kind === 'upsell'));
  comparison.equal(
    'upsell.accepted',
    idsOf('evt.checkout.upsell.accepted.v1', orderOf),
    upsold.map(({ id }) => id).toSorted(),
  );
  comparison.equal(
    'subscription.started',
    idsOf('evt.billing.subscription.started.v1', ({ subscriptionId }) => String(subscriptionId)),
    subscriptions.map(({ id }) => id).toSorted(),
  );
  const paid = renewals.filter(({ status }) => status === 'paid');
  comparison.equal(
    'subscription.rebilled',
    idsOf('evt.billing.subscription.rebilled.v1', ({ subscriptionId, period }) => `${subscriptionId} ${period}`),
    paid.map(({ subscription_id, period }) => `${subscription_id} ${period}`).toSorted(),
  );
  const expired = orders.filter(({ status }) => status === 'expired');
  comparison.equal(
    'order.expired',
    idsOf('evt.checkout.order.expired.v1', orderOf),
    expired.map(({ id }) => id).toSorted(),
  );
  const isRefund = ({ step, status, reason }: Books['payments'][number]): boolean =>
    step === 'refund' && (status === 'succeeded' || reason === 'refund_failed');
  comparison.equal(
    'payment.refunded',
    idsOf('evt.checkout.payment.refunded.v1', ({ refundId }) => String(refundId)),
    [...payments.filter(isRefund).map(({ id }) => id), ...refundsOfDisputes(events)].toSorted(),
  );
  const count = (subject: string, orderId: string): number =>
    events.filter((event) => event.subject === subject && event.data.orderId === orderId).length;
  const refunded = new Set(
    events.filter(({ subject }) => subject.includes('.order.re')).map(({ data }) => orderOf(data)),
  );
  for (const { id, status } of orders) {
    const times = refunded.has(id)
      ? count('evt.checkout.order.refunded.v1', id) - count('evt.checkout.order.reopened.v1', id)
      : 0;
    comparison.equal(`order.refunded of ${id} without order.reopened`, times, status === 'refunded' ? 1 : 0);
  }
  return comparison;
}
