import { emailKey } from '@app/contracts/email-key';
import { type Books, type Comparison, centsOf, comparing, type Order, sum } from './books.ts';
import type { World } from './world.ts';

/** The published numbers of each product against a recount from orders, renewals, subscriptions and holds. */
export async function compareMetrics({ shops }: World, books: Books): Promise<Comparison> {
  const comparison = comparing('metrics, a recount from orders, renewals and subscriptions');
  for (const { seller, products } of shops) {
    for (const { id } of products) {
      const { status, json } = await seller.call('GET', `/api/metrics/${id}`);
      comparison.equal(`metrics of ${id}`, status, 200);
      for (const [name, value] of Object.entries(recount(id, books)))
        comparison.equal(`${name} of ${id}`, json.summary[name], value);
      const months: { value: number }[] = json.revenueByMonth;
      comparison.equal(`months of ${id}`, sum(months.map(({ value }) => value)), json.summary.revenueCents);
    }
  }
  return comparison;
}

function recount(productId: string, { orders, subscriptions, renewals, holds }: Books): Record<string, number> {
  const isCounted = ({ product_id, test, status }: Order): boolean =>
    product_id === productId && !test && (status === 'paid' || status === 'refunded');
  const sold = orders.filter(isCounted);
  const subscribed = subscriptions.filter(({ product_id, test }) => product_id === productId && !test);
  const ids = new Set(subscribed.map(({ id }) => id));
  const renewed = renewals.filter(({ subscription_id, status }) => ids.has(subscription_id) && status === 'paid');
  const orderCents = sum(sold.map(({ total_cents }) => total_cents));
  const refunded = sold.filter(({ status, given_back_cents }) => status === 'refunded' || given_back_cents > 0);
  const active = subscribed.filter(({ status }) => status === 'active');
  const held = new Set(holds.map(({ order_id }) => order_id));
  const having = (kind: string): number => sold.filter(({ items }) => items.some((item) => item.kind === kind)).length;
  return {
    orders: sold.length,
    revenueCents: orderCents + centsOf(renewed),
    aovCents: sold.length === 0 ? 0 : Math.round(orderCents / sold.length),
    refunds: refunded.length,
    refundedCents: sum(refunded.map(givenBack)),
    refundRate: rate(refunded.length, sold.length),
    customers: new Set(sold.map(({ customer_email }) => emailKey(customer_email))).size,
    bumpTakeRate: rate(having('bump'), sold.length),
    // A buyer who was offered an upsell had their card held.
    upsellTakeRate: rate(having('upsell'), sold.filter(({ id }) => held.has(id)).length),
    activeSubscriptions: active.length,
    mrrCents: sum(
      active.map((each) => (each.billing_interval === 'year' ? Math.round(each.amount_cents / 12) : each.amount_cents)),
    ),
  };
}

/** Of the order and its renewals. What the platform did not charge, the seller gave back, as far as the order goes. */
const givenBack = ({ status, total_cents, refunded_cents, given_back_cents }: Order): number =>
  given_back_cents + (status === 'refunded' ? total_cents - refunded_cents : 0);

/** Four decimals. */
const rate = (part: number, whole: number): number => (whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 10_000);
