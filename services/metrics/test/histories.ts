import { createHash } from 'node:crypto';
import fc from 'fast-check';
import {
  type Fact,
  factOfCancellation,
  factOfOrder,
  factOfRefund,
  factOfReopening,
  factOfSubscription,
  factOfVisit,
} from '../src/facts/fact.rules.ts';
import {
  cancellationEvent,
  orderEvent,
  refundEvent,
  reopeningEvent,
  subscriptionEvent,
  visitEvent,
} from './samples.ts';

export type RollupTable = 'product_totals' | 'product_months' | 'customers';

/** An order, a subscription or a visit, and what became of it. */
export interface Happening {
  readonly kind: 'order' | 'subscription' | 'visit';
  readonly account: string;
  readonly product: string;
  readonly month: number;
  readonly cents: number;
  readonly email: string;
  readonly bump: boolean;
  readonly upsell: 'none' | 'shown' | 'bought';
  readonly checkout: boolean;
  readonly yearly: boolean;
  readonly test: boolean;
  /** How often the order was refunded; each refund but the last failed afterwards, and so did the last if this says so. */
  readonly refunds: number;
  readonly lastRefundFailed: boolean;
  /** Months after its start; null for a subscription that goes on. */
  readonly canceledAfter: number | null;
  /** For each of its events, when each delivery comes, beside the others'. */
  readonly deliveries: readonly (readonly number[])[];
  readonly batch: number;
}

export const happening: fc.Arbitrary<Happening> = fc.record({
  kind: fc.constantFrom('order', 'order', 'subscription', 'visit'),
  account: fc.constantFrom('acc_a', 'acc_b'),
  product: fc.constantFrom('prd_1', 'prd_2'),
  month: fc.integer({ min: 0, max: 18 }),
  cents: fc.integer({ min: 0, max: 9_999_999_999 }),
  email: fc.constantFrom('ann@x.io', 'Ann@x.io', 'bob@x.io', 'BOB@X.IO', 'ünal@x.io', 'Ünal@x.io'),
  bump: fc.boolean(),
  upsell: fc.constantFrom('none', 'shown', 'bought'),
  checkout: fc.boolean(),
  yearly: fc.boolean(),
  test: fc.nat(4).map((roll) => roll === 0),
  refunds: fc.nat(3),
  lastRefundFailed: fc.boolean(),
  canceledAfter: fc.option(fc.nat(6)),
  // At most seven events: an order, three refunds, and three of them failed.
  deliveries: fc.array(fc.array(fc.integer(), { minLength: 1, maxLength: 3 }), { minLength: 7, maxLength: 7 }),
  batch: fc.nat(3),
});

/** The facts of what happened, in the order in which it happened. */
export function factsOf(entry: Happening): Fact[] {
  if (entry.kind === 'subscription') return subscriptionFacts(entry);
  const { account, product, test } = entry;
  const at = timeIn(entry, entry.month);
  if (entry.kind === 'visit') return [factOfVisit(visitEvent(account, product, { visitedAt: at, test }))];
  const totalCents = entry.cents;
  const items = [
    { kind: 'main', label: 'm', amountCents: totalCents } as const,
    ...(entry.bump ? [{ kind: 'bump', label: 'b', amountCents: 0 } as const] : []),
    ...(entry.upsell === 'bought' ? [{ kind: 'upsell', label: 'u', amountCents: 0 } as const] : []),
  ];
  const order = orderEvent(account, product, {
    ...{ totalCents, items, customerEmail: entry.email, test, paidAt: at },
    source: entry.checkout ? 'checkout' : 'api',
    ...(entry.upsell === 'none' ? {} : { upsellShown: true }),
  });
  const { orderId } = order.data;
  const refunds = Array.from({ length: entry.refunds }, (_, index) => {
    const about = { orderId, totalCents, refundNo: index + 1, test };
    const refund = factOfRefund(refundEvent(account, product, about));
    const failed = entry.lastRefundFailed || index + 1 < entry.refunds;
    return failed ? [refund, factOfReopening(reopeningEvent(account, product, about))] : [refund];
  });
  return [factOfOrder(order), ...refunds.flat()];
}

function subscriptionFacts(entry: Happening): Fact[] {
  const { account, product, test, cents: amountCents } = entry;
  const about = { amountCents, billingInterval: entry.yearly ? 'year' : 'month', test } as const;
  const started = subscriptionEvent(account, product, { ...about, startedAt: timeIn(entry, entry.month) });
  if (entry.canceledAfter === null) return [factOfSubscription(started)];
  const canceledAt = timeIn(entry, entry.month + entry.canceledAfter);
  const { subscriptionId } = started.data;
  const canceled = cancellationEvent(account, product, { ...about, subscriptionId, canceledAt });
  return [factOfSubscription(started), factOfCancellation(canceled)];
}

const timeIn = ({ batch }: Happening, month: number): string =>
  new Date(Date.UTC(2025, month, batch % 2 ? 1 : 28, 23, 59)).toISOString();

/** What the roll-ups should say, counted from what happened and not from its events. */
export function model(history: readonly Happening[]): Record<RollupTable, unknown[]> {
  const counted = history.filter((entry) => !entry.test);
  const inMonths = counted.flatMap((entry) => monthsOf(entry).map((month) => ({ ...entry, in: month })));
  return {
    product_totals: rowsOf(counted, (entry) => ['', productOf(entry)], totalsRow),
    product_months: rowsOf(inMonths, (entry) => [monthName(entry.in), productOf(entry)], monthRow),
    customers: rowsOf(
      counted.filter(isOrder),
      (entry) => [keyOf(entry).toString('hex'), productOf(entry)],
      ([entry]) => ({ email_key: entry && keyOf(entry) }),
    ),
  };
}

const isOrder = (entry: Happening): boolean => entry.kind === 'order';
const isSubscription = (entry: Happening): boolean => entry.kind === 'subscription';
const isActive = (entry: Happening): boolean => isSubscription(entry) && entry.canceledAfter === null;
const isRefunded = (entry: Happening): boolean => isOrder(entry) && entry.refunds > 0 && !entry.lastRefundFailed;
const productOf = (entry: Happening): string => `${entry.account} ${entry.product}`;
const monthName = (month: number): string => new Date(Date.UTC(2025, month)).toISOString().slice(0, 7);
const keyOf = (entry: Happening): Buffer => createHash('sha256').update(entry.email.toLowerCase()).digest();
const mrrOf = (entry: Happening): number => (entry.yearly ? Math.floor(entry.cents / 12 + 0.5) : entry.cents);
const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

const canceledIn = (entry: Happening): number | null =>
  isSubscription(entry) && entry.canceledAfter !== null ? entry.month + entry.canceledAfter : null;

/** The months that have a row because of it. */
function monthsOf(entry: Happening): number[] {
  if (entry.kind === 'visit') return [];
  return [...new Set([entry.month, canceledIn(entry) ?? entry.month])];
}

/** One row for each group, in the order of account, product and the rest of the key. */
function rowsOf<Entry extends Happening>(
  history: readonly Entry[],
  group: (entry: Entry) => [string, string],
  row: (entries: readonly Entry[]) => Record<string, unknown>,
): unknown[] {
  const groups = Map.groupBy(history, (entry) => group(entry).reverse().join(' '));
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, entries]) => ({ account_id: entries[0]?.account, product_id: entries[0]?.product, ...row(entries) }));
}

function totalsRow(entries: readonly Happening[]): Record<string, unknown> {
  const orders = entries.filter(isOrder);
  const refunded = orders.filter(isRefunded);
  const active = entries.filter(isActive);
  const cents = sum(orders.map((entry) => entry.cents));
  return {
    orders: orders.length,
    order_cents: cents,
    revenue_cents: cents,
    bump_orders: orders.filter((entry) => entry.bump).length,
    upsell_shown_orders: orders.filter((entry) => entry.upsell !== 'none').length,
    upsell_orders: orders.filter((entry) => entry.upsell === 'bought').length,
    checkout_orders: orders.filter((entry) => entry.checkout).length,
    views: entries.filter((entry) => entry.kind === 'visit').length,
    refunds: refunded.length,
    refunded_cents: sum(refunded.map((entry) => entry.cents)),
    active_subscriptions: active.length,
    mrr_cents: sum(active.map(mrrOf)),
    customers: new Set(orders.map((entry) => entry.email.toLowerCase())).size,
  };
}

function monthRow(entries: readonly (Happening & { in: number })[]): Record<string, unknown> {
  const began = entries.filter((entry) => entry.month === entry.in);
  const started = began.filter(isSubscription);
  const canceled = entries.filter((entry) => canceledIn(entry) === entry.in);
  return {
    month: monthName(entries[0]?.in ?? 0),
    revenue_cents: sum(began.filter(isOrder).map((entry) => entry.cents)),
    mrr_delta_cents: sum(started.map(mrrOf)) - sum(canceled.map(mrrOf)),
    active_delta: started.length - canceled.length,
    started_subscriptions: started.length,
    canceled_subscriptions: canceled.length,
  };
}
