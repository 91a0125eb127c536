import type { Books } from './books.ts';

const ordersMax = 8;

/** All that the books have of the orders that differences name, for whoever looks for the fault. */
export function evidenceOf(books: Books, differences: readonly string[]): string[] {
  const byPayment = new Map(books.payments.map(({ id, order_id }) => [id, order_id]));
  const bySubscription = new Map(books.subscriptions.map(({ id, order_id }) => [id, order_id]));
  const found = differences.flatMap((text) => text.match(/\b(ord|pmt|sub)_[a-z0-9]{26}\b/g) ?? []);
  const orders = new Set(found.map((id) => byPayment.get(id) ?? bySubscription.get(id) ?? id));
  return [...orders].slice(0, ordersMax).flatMap((orderId) => {
    const of = <Row extends { readonly order_id: string }>(rows: readonly Row[]): Row[] =>
      rows.filter(({ order_id }) => order_id === orderId);
    const rows: readonly (readonly [string, readonly unknown[]])[] = [
      ['order', books.orders.filter(({ id }) => id === orderId)],
      ['entry', of(books.entries)],
      ['payment', of(books.payments)],
      ['charge', of(books.charges)],
      ['hold', of(books.holds)],
      ['subscription', of(books.subscriptions)],
      ['event', books.events.filter(({ data }) => data.orderId === orderId)],
    ];
    return rows.flatMap(([what, all]) => all.map((row) => `  ${orderId} ${what}: ${JSON.stringify(row)}`));
  });
}
