import type { CustomerResource, readBuyerTotals } from '@app/contracts/customers';
import type { RequestOutput } from '@app/contracts/define';

/** What the orders of one buyer in one currency come to. */
export interface CurrencyTotals {
  readonly email_key: string;
  readonly currency: string;
  readonly orders: number;
  /** What was paid for orders, less all that went back, of renewals too. Below 0 where more renewals went back. */
  readonly kept_cents: number;
  readonly first_at: Date;
  readonly last_at: Date;
  readonly last_email: string;
  /** Of the latest order that has one; null where none has. */
  readonly last_name: string | null;
}

/** A buyer, as the table has it. */
export interface Customer {
  readonly id: string;
  readonly email_key: string;
}

type Renewed = RequestOutput<typeof readBuyerTotals>;

/** Customers as they are shown, in the order given. One whose orders all ended unpaid is left out. */
export function customersOf(
  customers: readonly Customer[],
  totals: readonly CurrencyTotals[],
  { renewals, active }: Renewed,
): CustomerResource[] {
  return customers.flatMap(({ id, email_key }) => {
    const own = totals
      .filter((total) => total.email_key === email_key)
      .toSorted((one, other) => other.last_at.getTime() - one.last_at.getTime());
    const [latest] = own;
    if (latest === undefined) return [];
    const renewed = renewals.filter(({ emailKey }) => emailKey === email_key);
    const firstMs = Math.min(...own.map(({ first_at }) => first_at.getTime()));
    return [
      {
        id,
        email: latest.last_email,
        name: own.find(({ last_name }) => last_name !== null)?.last_name ?? '',
        orders: own.reduce((sum, { orders }) => sum + orders, 0),
        spent: spentOf(own, renewed),
        active_subscriptions: active.find(({ emailKey }) => emailKey === email_key)?.subscriptions ?? 0,
        first_purchase_at: new Date(firstMs).toISOString(),
        last_purchase_at: latest.last_at.toISOString(),
      },
    ];
  });
}

/** One sum for each currency, the largest first. */
function spentOf(totals: readonly CurrencyTotals[], renewed: Renewed['renewals']): CustomerResource['spent'] {
  const sums = new Map<string, number>();
  const add = (currency: string, cents: number) => sums.set(currency, (sums.get(currency) ?? 0) + cents);
  for (const { currency, kept_cents } of totals) add(currency, kept_cents);
  for (const { currency, amountCents } of renewed) add(currency, amountCents);
  return [...sums]
    .map(([currency, amount_cents]) => ({ currency, amount_cents }))
    .toSorted((one, other) => other.amount_cents - one.amount_cents || (one.currency < other.currency ? -1 : 1));
}
