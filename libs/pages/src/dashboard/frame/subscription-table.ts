import type { SubscriptionResource } from '@app/contracts/subscriptions';
import { money } from '../../components/lines.ts';
import { columnsOf, table } from '../../components/table.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { subscriptionBadge } from './badges.ts';
import { when } from './times.ts';

const nameColumns = columnsOf({ title: 'Buyer', wide: 'Product' });

const columns = columnsOf({ detail: 'Next charge', status: 'Status', end: 'Price' });

/** Subscriptions, each of which leads to its page. @param isOfOneBuyer where the rows are named by what was bought */
export function subscriptionTable(
  all: readonly SubscriptionResource[],
  caption: string,
  formats: Formats,
  isOfOneBuyer = false,
): Html {
  const rows = all.map((subscription) => {
    const { id, customer_email, product_name } = subscription;
    const [buyer, product] = [html`<bdi>${customer_email}</bdi>`, html`<bdi>${product_name}</bdi>`];
    const cells = [
      nextCharge(subscription, formats),
      subscriptionBadge(subscription, formats),
      price(subscription, formats),
    ];
    const names = isOfOneBuyer ? [product] : [buyer, product];
    return { href: `/app/subscriptions/${id}`, cells: [...names, ...cells] };
  });
  const names = isOfOneBuyer ? columnsOf({ title: 'Product' }) : nameColumns;
  return table({ caption, columns: [...names, ...columns], rows });
}

function nextCharge({ next_charge_at, collection, started_at }: SubscriptionResource, formats: Formats): Html {
  if (next_charge_at !== null) return when(next_charge_at, formats);
  return collection === 'external' ? html`Collected by you` : html`Began ${when(started_at, formats)}`;
}

/** What a period costs. */
export const price = (
  {
    amount_cents,
    currency,
    billing_interval,
  }: Pick<SubscriptionResource, 'amount_cents' | 'currency' | 'billing_interval'>,
  formats: Formats,
): Html => html`${money(formats.amount(amount_cents, currency))} a ${billing_interval}`;
