import { type Books, type Charge, type Comparison, centsOf, comparing, type Order, sum } from './books.ts';
import type { World } from './world.ts';

const isMain = ({ step }: Charge): boolean => step === 'main' || step === 'capture' || step === 'recharge';
const isOwn = ({ step }: Charge): boolean => step !== 'renewal';

/** Each order took its total once, by one main charge at most, and was given back as its status says. */
export function compareOrders({ charges, orders }: Books): Comparison {
  const comparison = comparing('charges of billing, orders of checkout');
  const all = Map.groupBy(charges, ({ order_id }) => order_id);
  for (const order of orders) {
    const own = (all.get(order.id) ?? []).filter(isOwn);
    const mains = own.filter(isMain).length;
    if (mains > 1) comparison.wrong('an order with several main charges', own);
    comparison.equal(`order ${order.id}, ${order.source}, ${order.status}`, centsOf(own), dueOf(order));
    comparison.equal(`refunded of order ${order.id}`, backOf(own), order.refunded_cents);
    comparison.equal(
      `refunded of order ${order.id} and renewals`,
      backOf(all.get(order.id) ?? []),
      order.given_back_cents,
    );
    if (own.length === 0) continue;
    const isRefunded = order.status === 'refunded';
    const byRefunds = own.every(({ amount_cents, refunded_cents }) => amount_cents === refunded_cents);
    // What the bank takes by a dispute leaves an order paid; a refund of all the rest may come before that or after it.
    const isWhollyBack = byRefunds || (isRefunded && backOf(own) === centsOf(own));
    comparison.equal(`order ${order.id} is given back`, isWhollyBack, isRefunded);
  }
  const known = new Map(orders.map((order) => [order.id, order]));
  for (const charge of charges) if (!known.has(charge.order_id)) comparison.wrong('a charge without an order', charge);
  return comparison;
}

/** An order follows its hold. */
export function compareHeldOrders({ holds, orders }: Books): Comparison {
  const comparison = comparing('holds of billing, orders of checkout');
  const known = new Map(orders.map((order) => [order.id, order]));
  for (const hold of holds) {
    comparison.lines += 1;
    const expected = hold.status === 'lost' ? ['expired'] : ['paid', 'refunded'];
    const status = known.get(hold.order_id)?.status;
    if (status === undefined || !expected.includes(status)) comparison.wrong(`a hold whose order is ${status}`, hold);
  }
  return comparison;
}

/** By refunds, and by disputes that were lost. */
const backOf = (charges: readonly Charge[]): number =>
  sum(charges.map(({ refunded_cents, lost_cents }) => refunded_cents + lost_cents));

/** What an order's own charges have taken: nothing for those of the seller's own code, and for a hold that was lost. */
const dueOf = ({ source, status, total_cents }: Order): number =>
  source === 'checkout' && (status === 'paid' || status === 'refunded') ? total_cents : 0;

/** The list of the API has each live order that its seller may see, as it is stored. */
export async function compareOrderLists({ shops }: World, { orders }: Books): Promise<Comparison> {
  const comparison = comparing('orders of checkout, lists of the API');
  for (const { seller } of shops) {
    const listed = new Map((await listAll(seller.call, '/api/v1/orders')).map((order) => [order.id, order]));
    const own = orders.filter(({ account_id }) => account_id === seller.accountId);
    const shown = own.filter(({ test, status }) => !test && status !== 'expired');
    comparison.equal(
      `orders of ${seller.accountId}`,
      shown.map(({ id }) => id).toSorted(),
      [...listed.keys()].toSorted(),
    );
    for (const { id, total_cents, refunded_cents, status } of shown) {
      const line = listed.get(id);
      // What the platform did not charge, the seller gives back: the list shows the whole of it, and no money moves here.
      const back = status === 'refunded' ? total_cents : refunded_cents;
      comparison.equal(
        `order ${id}`,
        [total_cents, back, status],
        [line?.total_cents, line?.refunded_cents, line?.status],
      );
    }
  }
  return comparison;
}

type Call = World['shops'][number]['seller']['call'];
// biome-ignore lint/suspicious/noExplicitAny: lines of whatever list it is.
type Line = any;

async function listAll(call: Call, path: string): Promise<Line[]> {
  const lines: Line[] = [];
  for (let before = ''; ; ) {
    const { status, json, text } = await call('GET', `${path}?limit=100${before}`);
    if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`);
    lines.push(...json.data);
    if (!json.has_more) return lines;
    before = `&before=${lines.at(-1)?.id}`;
  }
}

/** A discount's uses are its live orders, and never more than its limit. */
export function compareDiscounts({ shops }: World, { orders, discountUses }: Books): Comparison {
  const comparison = comparing('uses of discounts, orders of checkout');
  const uses = new Map(discountUses.map((row) => [row.discount_id, row.uses]));
  const sold = Map.groupBy(
    orders.filter(({ discount_id, test }) => discount_id !== null && !test),
    ({ discount_id }) => discount_id as string,
  );
  for (const [id, discounted] of sold) {
    // A use is claimed when an attempt to pay begins and kept for the buyer's next attempt: a declined one leaves it claimed.
    if ((uses.get(id) ?? 0) < discounted.length)
      comparison.wrong(`discount ${id} has more orders than uses`, uses.get(id));
    const { maxUses } = (shops[0] as World['shops'][number]).discount;
    comparison.equal(`discount ${id} within its limit`, discounted.length <= maxUses, true);
    comparison.equal(`uses of ${id} within its limit`, (uses.get(id) ?? 0) <= maxUses, true);
  }
  return comparison;
}
