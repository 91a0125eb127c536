import type { ExplainedMetric } from '@app/contracts/metrics';
import { divideHalfUp, rate } from '@app/money/arithmetic';
import type { FactKind, FactMark } from '../facts/fact.rules.ts';
import type { ProductTotals } from '../rollups/rollups.types.ts';

/** What a formula is made of, by name: counts, and amounts in minor units. */
export type Parts = Readonly<Record<string, number>>;

/** A fact as a row of `facts` has it. */
export interface CountedFact {
  readonly kind: FactKind;
  readonly amount_cents: number;
  readonly mrr_cents: number;
  readonly active_delta: number;
  readonly marks: readonly FactMark[];
  /** Whether the buyer bought this product for the first time. */
  readonly first_purchase: boolean;
  /** Whether it happened before the month that is requested. */
  readonly before_month: boolean;
}

/** One published number: what it is made of, and how. `value` of `parts` is the number, and `adds` of all facts are the parts. */
export interface Formula {
  readonly words: string;
  /** Grows when the definition changes. */
  readonly version: number;
  /** The facts behind it, in the order in which they are listed. */
  readonly kinds: readonly FactKind[];
  /** Whether a month's number is that at its end, and counts what happened before it. */
  readonly cumulative: boolean;
  /** Whether `adds` reads `first_purchase`, which reads the buyer's other orders. */
  readonly countsBuyers: boolean;
  adds(fact: CountedFact): Parts;
  parts(totals: ProductTotals): Parts;
  value(parts: Parts): number;
}

interface Definition<Part extends string>
  extends Pick<Formula, 'words' | 'version' | 'kinds'>,
    Partial<Pick<Formula, 'cumulative' | 'countsBuyers'>> {
  adds(fact: CountedFact): Partial<Record<Part, number>>;
  parts(totals: ProductTotals): Record<Part, number>;
  value(parts: Record<Part, number>): number;
}

/** Safe because `parts` gives every part that `value` reads. */
const formula = <Part extends string>(definition: Definition<Part>): Formula =>
  ({ cumulative: false, countsBuyers: false, ...definition }) as unknown as Formula;

/** An end that is counted before its beginning, as events may come, makes a sum too low for a moment. */
export const fromZero = (sum: number): number => Math.max(0, sum);

const orderKinds = ['order_paid'] as const;
const refundKinds = ['order_refunded', 'payment_refunded', 'order_reopened', 'payment_reopened'] as const;
const subscriptionKinds = [
  'subscription_started',
  'subscription_rebilled',
  'subscription_payment_failed',
  'subscription_paused',
  'subscription_resumed',
  'subscription_canceled',
] as const;

const one = (condition: boolean): number => (condition ? 1 : 0);
/** A refund that failed afterwards takes back the refund. */
const refundSign = ({ kind }: CountedFact): number =>
  one(kind === 'order_refunded' || kind === 'payment_refunded') -
  one(kind === 'order_reopened' || kind === 'payment_reopened');
/** An order counts once, however many of its payments went back. */
const refundCount = (fact: CountedFact): number => (fact.marks.includes('counted_before') ? 0 : refundSign(fact));

export const formulas: Readonly<Record<Exclude<ExplainedMetric, 'churn'>, Formula>> = {
  revenueCents: formula({
    words:
      'orderCents + renewalCents: the totals of all orders and the amounts of all renewals, each on the day it was paid. Refunds are not subtracted.',
    version: 1,
    kinds: [...orderKinds, 'subscription_rebilled'],
    adds: ({ kind, amount_cents }) =>
      kind === 'order_paid' ? { orderCents: amount_cents } : { renewalCents: amount_cents },
    parts: (totals) => ({
      orderCents: totals.order_cents,
      renewalCents: totals.revenue_cents - totals.order_cents,
    }),
    value: ({ orderCents, renewalCents }) => orderCents + renewalCents,
  }),
  orders: formula({
    words: 'orders: all orders paid, those refunded later too. Renewals are not orders.',
    version: 1,
    kinds: orderKinds,
    adds: () => ({ orders: 1 }),
    parts: ({ orders }) => ({ orders }),
    value: ({ orders }) => orders,
  }),
  aovCents: formula({
    words: 'orderCents ÷ orders, rounded half up: the average total of an order.',
    version: 1,
    kinds: orderKinds,
    adds: ({ amount_cents }) => ({ orderCents: amount_cents, orders: 1 }),
    parts: (totals) => ({ orderCents: totals.order_cents, orders: totals.orders }),
    value: ({ orderCents, orders }) => (orders === 0 ? 0 : divideHalfUp(orderCents, orders)),
  }),
  bumpTakeRate: formula({
    words: 'bumpOrders ÷ orders: orders with a bump among all orders.',
    version: 1,
    kinds: orderKinds,
    adds: ({ marks }) => ({ bumpOrders: one(marks.includes('bump')), orders: 1 }),
    parts: (totals) => ({ bumpOrders: totals.bump_orders, orders: totals.orders }),
    value: ({ bumpOrders, orders }) => rate(bumpOrders, orders),
  }),
  upsellTakeRate: formula({
    words: 'upsellOrders ÷ upsellShownOrders: orders with an upsell among those that were shown one.',
    version: 1,
    kinds: orderKinds,
    adds: ({ marks }) => ({
      upsellOrders: one(marks.includes('upsell')),
      upsellShownOrders: one(marks.includes('upsell_shown')),
    }),
    parts: (totals) => ({ upsellOrders: totals.upsell_orders, upsellShownOrders: totals.upsell_shown_orders }),
    value: ({ upsellOrders, upsellShownOrders }) => rate(upsellOrders, upsellShownOrders),
  }),
  activeSubscriptions: formula({
    words:
      'activeSubscriptions: each fact adds 1 when a subscription becomes active and -1 when it stops being active. Those past due, paused or canceled do not count. With a month: at its end.',
    version: 1,
    kinds: subscriptionKinds,
    cumulative: true,
    adds: ({ active_delta }) => ({ activeSubscriptions: active_delta }),
    parts: (totals) => ({ activeSubscriptions: totals.active_subscriptions }),
    value: ({ activeSubscriptions }) => fromZero(activeSubscriptions),
  }),
  mrrCents: formula({
    words:
      'mrrCents: the monthly price of every active subscription, a yearly one ÷ 12, rounded half up for each. It is added when a subscription becomes active and subtracted when it stops being active. With a month: at its end.',
    version: 1,
    kinds: subscriptionKinds,
    cumulative: true,
    adds: ({ mrr_cents }) => ({ mrrCents: mrr_cents }),
    parts: (totals) => ({ mrrCents: totals.mrr_cents }),
    value: ({ mrrCents }) => fromZero(mrrCents),
  }),
  refunds: formula({
    words:
      'refunds: orders from which money went back, wholly or in part, of a renewal too, once each. One whose refunds all failed afterwards is subtracted.',
    version: 2,
    kinds: refundKinds,
    adds: (fact) => ({ refunds: refundCount(fact) }),
    parts: ({ refunds }) => ({ refunds }),
    value: ({ refunds }) => fromZero(refunds),
  }),
  refundedCents: formula({
    words:
      'refundedCents: all that went back, of orders and of renewals. A refund that failed afterwards is subtracted.',
    version: 2,
    kinds: refundKinds,
    adds: (fact) => ({ refundedCents: refundSign(fact) * fact.amount_cents }),
    parts: (totals) => ({ refundedCents: totals.refunded_cents }),
    value: ({ refundedCents }) => fromZero(refundedCents),
  }),
  refundRate: formula({
    words: 'refunds ÷ orders: orders from which money went back among all orders, 1 at most.',
    version: 2,
    kinds: [...orderKinds, ...refundKinds],
    adds: (fact) => ({ refunds: refundCount(fact), orders: one(fact.kind === 'order_paid') }),
    parts: ({ refunds, orders }) => ({ refunds, orders }),
    value: ({ refunds, orders }) => rate(Math.min(fromZero(refunds), orders), orders),
  }),
  views: formula({
    words: 'views: visitors of the checkout, each once a UTC day.',
    version: 1,
    kinds: ['checkout_visited'],
    adds: () => ({ views: 1 }),
    parts: ({ views }) => ({ views }),
    value: ({ views }) => views,
  }),
  conversionRate: formula({
    // A visitor counts once a day and may buy twice.
    words: 'checkoutOrders ÷ views: orders from the checkout among its visitors, 1 at most.',
    version: 1,
    kinds: [...orderKinds, 'checkout_visited'],
    adds: ({ kind, marks }) =>
      kind === 'order_paid' ? { checkoutOrders: one(marks.includes('from_checkout')) } : { views: 1 },
    parts: (totals) => ({ checkoutOrders: totals.checkout_orders, views: totals.views }),
    value: ({ checkoutOrders, views }) => rate(Math.min(checkoutOrders, views), views),
  }),
  customers: formula({
    words:
      'customers: buyers, distinguished by their email, in upper or lower case. The facts are the first purchase of each; with a month, those made in it.',
    version: 1,
    kinds: orderKinds,
    countsBuyers: true,
    adds: ({ first_purchase }) => ({ customers: one(first_purchase) }),
    parts: ({ customers }) => ({ customers }),
    value: ({ customers }) => customers,
  }),
};

/** The number that the totals make. */
export function metricOf(metric: keyof typeof formulas, totals: ProductTotals): number {
  const { parts, value } = formulas[metric];
  return value(parts(totals));
}

/** Its parts are a month's, and not in the totals: `partsOfMonth` gives them. */
export const churnFormula: Omit<Formula, 'parts'> = {
  words:
    'canceled ÷ (activeAtStart + started), 1 at most: subscriptions canceled in the month, from whatever state, over those active at its start and those started in it. Pauses, failed payments and what ends them are neither: one that was past due or paused at the start is not among those active then, and counts as canceled when it ends in the month. So the value can be larger than the part of all buyers that left.',
  version: 1,
  kinds: subscriptionKinds,
  cumulative: true,
  countsBuyers: false,
  adds: ({ kind, active_delta, before_month }): Parts =>
    before_month
      ? { activeAtStart: active_delta }
      : { canceled: one(kind === 'subscription_canceled'), started: one(kind === 'subscription_started') },
  value: ({ canceled = 0, activeAtStart = 0, started = 0 }) => {
    // A customer who was paused or past due at the start is not among those active then, and may still cancel.
    const whole = fromZero(activeAtStart + started);
    return rate(Math.min(canceled, whole), whole);
  },
};
