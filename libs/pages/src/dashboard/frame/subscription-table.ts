import type { SubscriptionResource } from '@app/contracts/subscriptions';
import { money } from '../../components/lines.ts';
import { columnsOf } from '../../components/table.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { subscriptionBadge } from './badges.ts';
import { purchaseTable } from './purchase-table.ts';
import { when } from './times.ts';

const columns = columnsOf({ detail: 'Next charge or end', status: 'Status', end: 'Price' });

export const subscriptionTable = purchaseTable(columns, (subscription: SubscriptionResource, formats) => ({
  href: `/app/subscriptions/${subscription.id}`,
  buyer: subscription.customer_email,
  product: subscription.product_name,
  cells: [nextCharge(subscription, formats), subscriptionBadge(subscription, formats), price(subscription, formats)],
}));

function nextCharge(subscription: SubscriptionResource, formats: Formats): Html {
  const { next_charge_at, collection, started_at, canceled_at } = subscription;
  if (canceled_at !== null) return html`Ended ${when(canceled_at, formats)}`;
  if (next_charge_at !== null) return when(next_charge_at, formats);
  return collection === 'external' ? html`Renewals outside Funnelry` : html`Began ${when(started_at, formats)}`;
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
