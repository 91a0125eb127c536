import { query } from '@app/testing/sql';
import type { Answers } from './answers.ts';
import { type Books, type Comparing, type Comparison, comparing, type Order, type Renewal, sum } from './books.ts';
import type { Affiliate, World } from './world.ts';

interface LedgerEntry {
  readonly account_id: string;
  readonly kind: 'commission' | 'void' | 'clawback' | 'payout';
  readonly debit: string;
  readonly credit: string;
  readonly amount_cents: number;
  readonly order_id: string | null;
  readonly payout_id: string | null;
}

interface Balance {
  readonly account_id: string;
  readonly owed_cents: number;
  readonly paid_out_cents: number;
}

/** By order, the ledger has what its affiliate earns on it; its balances are its sums; payouts are as they were answered. */
export async function compareLedger(world: World, books: Books, answers: Answers): Promise<Comparison> {
  const comparison = comparing('ledger of affiliates, orders, renewals and payouts');
  const url = world.cluster.databaseUrl('affiliate');
  const entries = await query<LedgerEntry>(
    url,
    `select account_id, kind, debit, credit, amount_cents::float8 as amount_cents, order_id, payout_id from ledger_entries`,
  );
  const balances = await query<Balance>(
    url,
    `select account_id, owed_cents::float8 as owed_cents, paid_out_cents::float8 as paid_out_cents from ledger_balances`,
  );
  const payouts = await query<{ id: string; amount_cents: number }>(
    url,
    `select id, amount_cents::float8 as amount_cents from payouts`,
  );
  compareEarned(comparison, world, books, entries);
  for (const { account_id, owed_cents, paid_out_cents } of balances) {
    const own = entries.filter((entry) => entry.account_id === account_id);
    comparison.equal(`owed by ${account_id}`, owed_cents, balanceOf(own, 'owed'));
    comparison.equal(`paid out by ${account_id}`, paid_out_cents, balanceOf(own, 'paid_out'));
    const sides = ['owed', 'paid_out', 'expense'].map((ledgerAccount) => balanceOf(own, ledgerAccount));
    comparison.equal(`the ledger of ${account_id} is balanced`, sum(sides), 0);
  }
  const recorded = new Map(payouts.map(({ id, amount_cents }) => [id, amount_cents]));
  comparison.equal('payouts', [...answers.payouts].toSorted(), [...recorded].toSorted());
  for (const { id, amount_cents } of payouts) {
    const entered = entries.filter(({ payout_id, kind }) => payout_id === id && kind === 'payout');
    comparison.equal(
      `ledger of payout ${id}`,
      entered.map((entry) => entry.amount_cents),
      [amount_cents],
    );
  }
  return comparison;
}

const balanceOf = (entries: readonly LedgerEntry[], ledgerAccount: string): number =>
  sum(
    entries.map(({ debit, credit, amount_cents }) => {
      if (debit === credit) return 0;
      if (credit === ledgerAccount) return amount_cents;
      return debit === ledgerAccount ? -amount_cents : 0;
    }),
  );

function compareEarned(
  comparison: Comparing,
  { shops }: World,
  { orders, subscriptions, renewals, charges }: Books,
  entries: readonly LedgerEntry[],
): void {
  const byOrder = Map.groupBy(entries, ({ order_id }) => order_id);
  const subscriptionOf = new Map(subscriptions.map(({ order_id, id }) => [order_id, id]));
  const paid = Map.groupBy(
    renewals.filter(({ status }) => status === 'paid'),
    ({ subscription_id }) => subscription_id,
  );
  const backOf = new Map(charges.map(({ id, refunded_cents, lost_cents }) => [id, refunded_cents + lost_cents]));
  const affiliates = new Map(shops.map(({ seller, affiliate }) => [seller.accountId, affiliate]));
  for (const order of orders) {
    const affiliate = affiliates.get(order.account_id) as Affiliate;
    const renewed = paid.get(subscriptionOf.get(order.id) ?? '') ?? [];
    const entered = (byOrder.get(order.id) ?? []).filter(({ kind }) => kind !== 'payout');
    comparison.equal(`order ${order.id}`, balanceOf(entered, 'owed'), earnedOn(order, renewed, affiliate, backOf));
  }
  const known = new Set(orders.map(({ id }) => id));
  for (const entry of entries)
    if (entry.order_id !== null && !known.has(entry.order_id)) comparison.wrong('an entry of no order', entry);
}

/** Commissions on the sale and on its first renewals, less in proportion to what went back of each. */
function earnedOn(
  order: Order,
  renewed: readonly Renewal[],
  affiliate: Affiliate,
  backOf: ReadonlyMap<string, number>,
): number {
  if (order.test || order.affiliate_code !== affiliate.code || order.status === 'expired') return 0;
  const back = order.status === 'refunded' ? order.total_cents : order.refunded_cents;
  const earning = renewed.filter(({ starts_at }) => earns(order.sold_at, affiliate.renewalMonths, starts_at));
  const ofRenewals = earning.map(({ amount_cents, payment_id }) =>
    kept(share(amount_cents, affiliate.percent), backOf.get(payment_id ?? '') ?? 0, amount_cents),
  );
  return kept(share(order.total_cents, affiliate.percent), back, order.total_cents) + sum(ofRenewals);
}

/** What is taken back is rounded half up. */
const kept = (commission: number, backCents: number, ofCents: number): number =>
  ofCents === 0 ? commission : commission - Math.floor((2 * commission * backCents + ofCents) / (2 * ofCents));

/** Half up. */
const share = (cents: number, percent: number): number => Math.floor((cents * percent + 50) / 100);

/** Its period begins at most so many months after the sale, by days of UTC, clamped to the month's last day. */
function earns(soldAt: Date, months: number, startsAt: Date): boolean {
  const [year, month] = [soldAt.getUTCFullYear(), soldAt.getUTCMonth() + months];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const until = Date.UTC(year, month, Math.min(soldAt.getUTCDate(), lastDay));
  return Date.UTC(startsAt.getUTCFullYear(), startsAt.getUTCMonth(), startsAt.getUTCDate()) <= until;
}
