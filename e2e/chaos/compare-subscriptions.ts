import {
  type Books,
  type Charge,
  type Comparing,
  type Comparison,
  comparing,
  dayOf,
  type Renewal,
  type Subscription,
} from './books.ts';
import type { World } from './world.ts';

const isRenewal = ({ step }: Charge): boolean => step === 'renewal';

/** Each sold subscription is there once, and each of its periods was paid once, on a day of its own. */
export function compareSubscriptions(world: World, books: Books): Comparison {
  const comparison = comparing('subscriptions and periods of billing, orders and charges');
  const { subscriptions, renewals, orders, charges, entries } = books;
  const products = new Map(world.shops.flatMap((shop) => shop.products).map((product) => [product.id, product]));
  const sold = orders.filter(({ product_id, status }) => {
    return products.get(product_id)?.pricingType === 'subscription' && (status === 'paid' || status === 'refunded');
  });
  comparison.equal(
    'orders of subscriptions',
    sold.map(({ id }) => id).toSorted(),
    subscriptions.map(({ order_id }) => order_id).toSorted(),
  );
  const known = new Map(orders.map((order) => [order.id, order]));
  const paid = new Map(renewals.filter(({ status }) => status === 'paid').map((each) => [each.payment_id, each]));
  const charged = Map.groupBy(charges.filter(isRenewal), ({ order_id }) => order_id);
  const periods = Map.groupBy(renewals, ({ subscription_id }) => subscription_id);
  const days = Map.groupBy(
    entries.filter(({ kind, status }) => kind === 'charge' && status === 'succeeded'),
    ({ order_id }) => order_id,
  );
  for (const subscription of subscriptions) {
    const { id, order_id, status } = subscription;
    const own = periods.get(id) ?? [];
    const taken = charged.get(order_id) ?? [];
    const paying = own.filter((renewal) => renewal.status === 'paid');
    comparison.equal(
      `charges of ${id}`,
      taken.map((charge) => [charge.id, charge.amount_cents]).toSorted(),
      paying.map((renewal) => [renewal.payment_id, renewal.amount_cents]).toSorted(),
    );
    for (const charge of taken) if (!paid.has(charge.id)) comparison.wrong('a charge of no period', charge);
    if (known.get(order_id)?.status === 'refunded') comparison.equal(`${id} of a refunded order`, status, 'canceled');
    // Periods of a recorded order that its seller collected, until its buyer gave a card, are in no row.
    const first = known.get(order_id)?.source === 'api' ? paying[0]?.period : undefined;
    checkPeriods(comparison, id, paying, first);
    checkCard(comparison, subscription, books);
    const renewed = new Set(taken.map(({ id }) => id));
    const charges = (days.get(order_id) ?? []).filter(({ payment_id }) => renewed.has(payment_id));
    checkDays(
      comparison,
      `days on which the processor charged ${id}`,
      charges.map(({ recorded_at }) => recorded_at),
    );
    checkDays(
      comparison,
      `days on which periods of ${id} were paid`,
      paying.flatMap(({ paid_at }) => paid_at ?? []),
    );
  }
  return comparison;
}

/**
 * Charged is the card that was given last of those that were saved. One that was given twice at once has two tokens. One that is
 * saved after the end changes nothing.
 */
function checkCard(comparison: Comparing, { id, status, order_id, payment_method }: Subscription, books: Books): void {
  const saved = books.payments.filter(
    (payment) => payment.order_id === order_id && payment.step === 'card' && payment.status === 'succeeded',
  );
  if (saved.length === 0 || status === 'canceled') return;
  const newestFirst = saved.toSorted((a, b) => b.attempt_no - a.attempt_no);
  const earlier = newestFirst.findIndex(({ card }) => card !== newestFirst[0]?.card);
  const newest = new Set(newestFirst.slice(0, earlier === -1 ? undefined : earlier).map((payment) => payment.id));
  const tokens = books.entries.filter((entry) => newest.has(entry.payment_id)).map((entry) => entry.saved_method);
  comparison.lines += 1;
  if (!tokens.includes(payment_method)) comparison.wrong(`${id} is not charged to its newest card`, [...newest]);
}

/** Periods follow one another without a gap in their numbers, and none begins before the one before has ended. */
function checkPeriods(comparison: Comparing, id: string, paid: readonly Renewal[], first = 2): void {
  comparison.equal(
    `numbers of periods of ${id}`,
    paid.map(({ period }) => period),
    paid.map((_, n) => n + first),
  );
  for (const [n, renewal] of paid.entries()) {
    const before = paid[n - 1];
    if (before !== undefined && renewal.starts_at < before.ends_at)
      comparison.wrong(`periods of ${id} overlap`, [before, renewal]);
  }
}

function checkDays(comparison: Comparing, line: string, times: readonly Date[]): void {
  const days = times.map(dayOf).toSorted();
  comparison.equal(line, days, [...new Set(days)]);
}
