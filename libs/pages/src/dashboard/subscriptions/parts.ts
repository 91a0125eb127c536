import type { SubscriptionResource } from '@app/contracts/subscriptions';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { subscriptionBadge, testBadge } from '../frame/badges.ts';
import { price } from '../frame/subscription-table.ts';

export const subscriptionsPath = '/app/subscriptions';
export const testSubscriptionsPath = '/app/subscriptions/test';

/** What it is, what it costs, and how it stands: below the heading of each of its pages. */
export const aboutSubscription = (of: SubscriptionResource, formats: Formats): Html =>
  html`<p><bdi>${of.product_name}</bdi> · ${price(of, formats)} ${subscriptionBadge(of, formats)} ${testBadge(of)}</p>`;

/** From a page of one back to it. */
export const backToSubscription = ({ id, customer_email }: SubscriptionResource) => ({
  href: `${subscriptionsPath}/${id}`,
  label: customer_email,
});
