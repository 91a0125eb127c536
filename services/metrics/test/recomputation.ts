import { emailKey } from '@app/contracts/email-key';
import type { MetricsResource } from '@app/contracts/metrics';
import type { RawEvent } from './histories.ts';

/**
 * The published numbers of a product, computed from its raw events in the slowest and plainest way: it follows every
 * subscription through its states anew for each month, and knows nothing of facts, deltas and roll-ups.
 */
export function recompute(
  history: readonly RawEvent[],
  { accountId, product, now }: { accountId: string; product: Omit<MetricsResource['product'], 'currency'>; now: Date },
): MetricsResource {
  const events = history.filter(
    (event) => event.accountId === accountId && event.data.productId === product.id && !event.data.test,
  );
  const orders = of(events, 'orderPaid').map(({ data }) => data);
  const renewals = of(events, 'rebilled').map(({ data }) => data);
  const views = of(events, 'checkoutVisited').length;
  const refunded = orders.filter(({ orderId }) => isRefunded(orderId, events) || partsBack(orderId, events) > 0);
  const shown = orders.filter((order) => order.upsellShown === true || has(order, 'upsell'));
  const total = sum(orders.map((order) => order.totalCents));
  const months = monthsUpTo(now, events);
  const active = activeAt(Number.POSITIVE_INFINITY, events);
  const revenueIn = (month: string) =>
    sum(orders.filter((order) => order.paidAt.startsWith(month)).map((order) => order.totalCents)) +
    sum(renewals.filter((renewal) => renewal.chargedAt.startsWith(month)).map((renewal) => renewal.amountCents));
  const isSubscription = product.pricingType === 'subscription';
  const [currency = null] = events.flatMap(({ data }) => ('currency' in data ? data.currency : []));
  return {
    product: { ...product, currency },
    summary: {
      revenueCents: total + sum(renewals.map((renewal) => renewal.amountCents)),
      orders: orders.length,
      aovCents: orders.length === 0 ? 0 : halfUp(total / orders.length),
      bumpTakeRate: fraction(orders.filter((order) => has(order, 'bump')).length, orders.length),
      upsellTakeRate: fraction(orders.filter((order) => has(order, 'upsell')).length, shown.length),
      activeSubscriptions: active.length,
      mrrCents: sum(active.map(monthly)),
      refunds: refunded.length,
      refundedCents: sum(refunded.map((order) => backOf(order, events))),
      refundRate: fraction(refunded.length, orders.length),
      views,
      conversionRate: Math.min(1, fraction(orders.filter((order) => order.source === 'checkout').length, views)),
      customers: new Set(orders.map((order) => emailKey(order.customerEmail))).size,
    },
    revenueByMonth: months.map((month) => ({ month, value: revenueIn(month) })),
    mrrByMonth: isSubscription
      ? months.map((month) => ({ month, value: sum(activeAt(endOf(month), events).map(monthly)) }))
      : [],
    churnByMonth: isSubscription ? months.map((month) => ({ month, value: churnIn(month, events) })) : [],
  };
}

type Of<K extends RawEvent['kind']> = Extract<RawEvent, { kind: K }>;
const of = <K extends RawEvent['kind']>(events: readonly RawEvent[], kind: K): Of<K>[] =>
  events.filter((event): event is Of<K> => event.kind === kind);

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
const halfUp = (value: number): number => Math.floor(value + 0.5);
const fraction = (part: number, whole: number): number => (whole === 0 ? 0 : halfUp((part * 10_000) / whole) / 10_000);
const has = (order: Of<'orderPaid'>['data'], kind: string): boolean => order.items.some((item) => item.kind === kind);

/** A refund that failed afterwards is none. */
const isRefunded = (orderId: string, events: readonly RawEvent[]): boolean =>
  of(events, 'orderRefunded').some(
    ({ data }) =>
      data.orderId === orderId &&
      !of(events, 'orderReopened').some(
        (other) => other.data.orderId === orderId && other.data.refundNo === data.refundNo,
      ),
  );

/** What went back of the order's payments and of its renewals', and did not fail afterwards. */
const partsBack = (orderId: string, events: readonly RawEvent[]): number => {
  const reopened = new Set(of(events, 'paymentReopened').map(({ data }) => data.refundId));
  const stands = of(events, 'paymentRefunded').filter(
    ({ data }) => data.orderId === orderId && !reopened.has(data.refundId),
  );
  return sum(stands.map(({ data }) => data.amountCents));
};

/** An order without refunds of payments, as one of the seller's own code, goes back whole. */
const backOf = ({ orderId, totalCents }: Of<'orderPaid'>['data'], events: readonly RawEvent[]): number =>
  of(events, 'paymentRefunded').some(({ data }) => data.orderId === orderId) ? partsBack(orderId, events) : totalCents;

type Terms = Pick<Of<'started'>['data'], 'amountCents' | 'billingInterval'>;
export const monthly = ({ amountCents, billingInterval }: Terms): number =>
  billingInterval === 'year' ? halfUp(amountCents / 12) : amountCents;

const subscriptionKinds = ['started', 'rebilled', 'paymentFailed', 'paused', 'resumed', 'canceled'] as const;
type SubscriptionEvent = Of<(typeof subscriptionKinds)[number]>;

/** When it happened, and the state that the subscription is in from then on. */
function stateAfter(event: SubscriptionEvent): { atMs: number; status: string } {
  switch (event.kind) {
    case 'started':
      return { atMs: Date.parse(event.data.startedAt), status: 'active' };
    case 'rebilled':
      return { atMs: Date.parse(event.data.chargedAt), status: event.data.statusAfter };
    case 'paymentFailed':
      return { atMs: Date.parse(event.data.failedAt), status: event.data.statusAfter };
    case 'paused':
      return { atMs: Date.parse(event.data.pausedAt), status: 'paused' };
    case 'resumed':
      return { atMs: Date.parse(event.data.resumedAt), status: event.data.statusAfter };
    case 'canceled':
      return { atMs: Date.parse(event.data.canceledAt), status: 'canceled' };
  }
}

const isOfSubscription = (event: RawEvent): event is SubscriptionEvent =>
  subscriptionKinds.some((kind) => kind === event.kind);

/** The subscriptions that were active just before a moment. */
export function activeAt(ms: number, events: readonly RawEvent[]): Terms[] {
  return of(events, 'started')
    .filter(({ data: { subscriptionId } }) => {
      const states = events
        .filter(isOfSubscription)
        .filter((event) => event.data.subscriptionId === subscriptionId)
        .map(stateAfter)
        .filter((state) => state.atMs < ms)
        .sort((a, b) => a.atMs - b.atMs);
      return states.at(-1)?.status === 'active';
    })
    .map(({ data }) => data);
}

const startOf = (month: string): number => Date.parse(`${month}-01T00:00:00.000Z`);
const endOf = (month: string): number => startOf(after(month));
const after = (month: string): string => {
  const next = new Date(startOf(month));
  next.setUTCMonth(next.getUTCMonth() + 1);
  return next.toISOString().slice(0, 7);
};

function churnIn(month: string, events: readonly RawEvent[]): number {
  const canceled = of(events, 'canceled').filter(({ data }) => data.canceledAt.startsWith(month)).length;
  const started = of(events, 'started').filter(({ data }) => data.startedAt.startsWith(month)).length;
  return Math.min(1, fraction(canceled, activeAt(startOf(month), events).length + started));
}

/** From the month of the first sale to the current one, or to that of the last sale when a clock was turned back. */
function monthsUpTo(now: Date, events: readonly RawEvent[]): string[] {
  const sales = [
    ...of(events, 'orderPaid').map(({ data }) => data.paidAt),
    ...events.filter(isOfSubscription).map((event) => new Date(stateAfter(event).atMs).toISOString()),
  ].map((at) => at.slice(0, 7));
  const [first] = sales.toSorted();
  if (first === undefined) return [];
  const last = [...sales, now.toISOString().slice(0, 7)].toSorted().at(-1) ?? first;
  const months = [first];
  while ((months.at(-1) ?? last) < last) months.push(after(months.at(-1) ?? last));
  return months;
}
