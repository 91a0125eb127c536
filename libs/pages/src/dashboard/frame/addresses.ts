import { idPrefixes } from '@app/contracts/ids';

/** The page of all that a buyer bought. */
export const buyerPath = (email: string): string => `/app/buyers?email=${encodeURIComponent(email)}`;

/** The page of a customer. */
export const customerPath = (id: string): string => `/app/orders/customers/${id}`;

/** What an id of each kind is shown at. */
const pages: Readonly<Record<string, string>> = {
  [idPrefixes.order]: '/app/orders/',
  [idPrefixes.customer]: customerPath(''),
  [idPrefixes.subscription]: '/app/subscriptions/',
  [idPrefixes.product]: '/app/products/',
  [idPrefixes.delivery]: '/app/activity/deliveries/',
  [idPrefixes.event]: '/app/activity/deliveries?eventId=',
  [idPrefixes.dailyRun]: '/app/daily-job/runs/',
  [idPrefixes.webhookEndpoint]: '/app/integrations/webhooks/',
  [idPrefixes.automation]: '/app/integrations/automations/',
  [idPrefixes.recovery]: '/app/integrations/recoveries/',
};

/** The page of what has this id; undefined for a text that is no id, and for an id whose kind has no page of its own. */
export function pageOfId(text: string): string | undefined {
  const [, prefix = ''] = /^([a-z]{3})_[0-9a-z]{26}$/.exec(text) ?? [];
  const page = pages[prefix];
  return page === undefined ? undefined : `${page}${text}`;
}
