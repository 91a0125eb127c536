import { samplePayloads } from './webhook-samples.ts';
import { endpointOff, type WebhookEventName, webhookEventNames } from './webhooks.ts';

/** Sellers cannot choose the event of the built-in notice about an endpoint. */
export type TriggerName = WebhookEventName | typeof endpointOff;

/** A payload whose values are put into templates. */
export type Payload = Readonly<Record<string, unknown>>;

/** What happened to an endpoint: its seller is to check it. */
export interface EndpointOffPayload {
  readonly event: typeof endpointOff;
  readonly endpointId: string;
  readonly url: string;
  readonly reason: string;
  /** In one sentence. */
  readonly summary: string;
  readonly sentAt: string;
}

const endpointOffSample: EndpointOffPayload = {
  event: endpointOff,
  endpointId: 'whe_01kahv7w3xe5m8q2r6t9y0b4cd',
  url: 'https://mayapaints.example/hooks',
  reason: 'failing',
  summary:
    'The webhook endpoint https://mayapaints.example/hooks was switched off: nothing was delivered for five days',
  sentAt: '2026-11-20T09:30:12.345Z',
};

/** Events that are about one product. */
const withProduct: ReadonlySet<TriggerName> = new Set(webhookEventNames.filter((name) => name !== 'affiliate.paid'));
/** Events whose `email` is the buyer's: that of `affiliate.paid` is the affiliate's. */
const withBuyer: ReadonlySet<TriggerName> = new Set([...withProduct].filter((name) => name !== 'funnel.email.sync'));

export const hasProduct = (event: TriggerName): boolean => withProduct.has(event);
export const hasBuyer = (event: TriggerName): boolean => withBuyer.has(event);

export const samplePayloadOf = (event: TriggerName): Payload =>
  event === endpointOff ? { ...endpointOffSample } : { ...samplePayloads[event] };

/** Fields of every template, beside those of the payload: from the account's settings. */
const accountFields = ['businessName', 'supportEmail', 'purchasesUrl'] as const;

/** Of an order or a renewal: a line of its own becomes the list of what was bought, with the total, the date, the card and the order's number. */
const ofReceipt: ReadonlySet<TriggerName> = new Set(['order.paid', 'subscription.rebilled']);
/** Of a failed renewal: why, in a sentence, and the day of the next attempt. */
const ofFailure = ['failure', 'nextTry'] as const;

const madeFields = (event: TriggerName): readonly string[] => [
  ...(ofReceipt.has(event) ? ['receipt'] : []),
  ...(event === 'subscription.payment_failed' ? ofFailure : []),
];

/** Links that are made for each email to a buyer: to all that they bought, and to the card of the event's subscription. */
export function linkFieldsOf(event: string, to: 'buyer' | 'seller'): readonly LinkField[] {
  if (to === 'seller' || !withBuyer.has(event as TriggerName)) return [];
  return event.startsWith('subscription.') ? ['portalUrl', 'cardUrl'] : ['portalUrl'];
}
type LinkField = keyof typeof sampleLinks;

/** What previews and tests have instead of links: they lead to no buyer. */
export const sampleLinks = {
  portalUrl: 'https://funnels.example/p/maya-paints/open/sample',
  cardUrl: 'https://funnels.example/p/maya-paints/open/sample-card',
} as const;

/** The fields that templates of the event may name, in an email to the buyer or the seller. */
export function fieldsOf(event: TriggerName, to: 'buyer' | 'seller'): string[] {
  const own = [...Object.keys(samplePayloadOf(event)), ...madeFields(event)];
  return [...new Set([...own, ...accountFields, ...linkFieldsOf(event, to)])];
}
