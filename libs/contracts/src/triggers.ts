import { samplePayloads } from './webhook-samples.ts';
import { endpointOff, keyRefused, type NoticeName, type WebhookEventName, webhookEventNames } from './webhooks.ts';

/** Sellers cannot choose the events of built-in notices. */
export type TriggerName = WebhookEventName | NoticeName;

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

/** The payment processor does not accept the account's API key, or the key may not do what it has to. */
export interface KeyRefusedPayload {
  readonly event: typeof keyRefused;
  /** In a few words, which of the two. */
  readonly headline: string;
  /** What happened and what to do. */
  readonly summary: string;
  readonly sentAt: string;
}

const noticeSamples: Readonly<Record<NoticeName, Payload>> = {
  [endpointOff]: { ...endpointOffSample },
  [keyRefused]: {
    event: keyRefused,
    headline: 'Your shop takes no payments: the API key is refused',
    summary:
      'The payment processor does not accept your account’s API key. Store a valid one in Settings (processor stripe). Nothing was done with what was sent: buyers must try again later, and renewals wait.',
    sentAt: '2026-11-20T09:30:12.345Z',
  } satisfies KeyRefusedPayload,
};

/** Not of one product: what a withdrawal is about may not be known. */
const withoutProduct: readonly TriggerName[] = ['affiliate.paid', 'withdrawal.requested'];
/** Events that are about one product. */
const withProduct: ReadonlySet<TriggerName> = new Set(
  webhookEventNames.filter((name) => !withoutProduct.includes(name)),
);
/** Events whose `email` is the buyer's: that of `affiliate.paid` is the affiliate's, that of `withdrawal.requested` was typed by anyone. */
const withBuyer: ReadonlySet<TriggerName> = new Set([...withProduct].filter((name) => name !== 'funnel.email.sync'));

export const hasProduct = (event: TriggerName): boolean => withProduct.has(event);
export const hasBuyer = (event: TriggerName): boolean => withBuyer.has(event);

export const samplePayloadOf = (event: TriggerName): Payload => ({ ...{ ...samplePayloads, ...noticeSamples }[event] });

/** Fields of every template, beside those of the payload: from the account's settings. */
const accountFields = ['businessName', 'supportEmail', 'purchasesUrl'] as const;

/** Of an order or a renewal: a line of its own becomes the list of what was bought, with the total, the date, the card and the order's number. Of `items` it is without the last three. */
const ofReceipt: ReadonlySet<TriggerName> = new Set(['order.paid', 'subscription.rebilled']);
/** Of a failed renewal: why, in a sentence, the day of the next attempt, and that the subscription has ended with it. */
const ofFailure = ['failure', 'nextTry', 'ended'] as const;

/** Of what an order is about: its number as people read it. */
const hasOrder = (event: TriggerName): boolean => 'orderId' in samplePayloadOf(event);

const madeFields = (event: TriggerName): readonly string[] => [
  ...(hasOrder(event) ? ['orderNumber'] : []),
  ...(event === 'order.paid' ? ['delivery'] : []),
  ...(ofReceipt.has(event) ? ['receipt'] : []),
  ...(event === 'subscription.payment_failed' ? ofFailure : []),
];

/**
 * Links that are made for each email. To a buyer: to all that they bought, to the card of the event's subscription, and to its product once
 * it has ended with a failed renewal. To the seller: to the order in the dashboard.
 */
export function linkFieldsOf(event: string, to: 'buyer' | 'seller'): readonly LinkField[] {
  if (to === 'seller') return hasOrder(event as TriggerName) ? ['orderUrl'] : [];
  if (!withBuyer.has(event as TriggerName)) return [];
  if (event === 'subscription.payment_failed') return ['portalUrl', 'cardUrl', 'buyAgainUrl'];
  return event.startsWith('subscription.') ? ['portalUrl', 'cardUrl'] : ['portalUrl'];
}
type LinkField = keyof typeof sampleLinks;

/** What previews have instead of links: they lead to no buyer, and to no order. */
export const sampleLinks = {
  portalUrl: 'https://funnels.example/p/maya-paints/open/sample',
  cardUrl: 'https://funnels.example/p/maya-paints/open/sample-card',
  /** The sample's subscription goes on. */
  buyAgainUrl: '',
  orderUrl: 'https://funnels.example/app/orders/sample',
} as const;

/** What tests have instead of links: the sample's order is none of the seller's. */
export const testLinks = { ...sampleLinks, orderUrl: '' } as const;

/** The fields that templates of the event may name, in an email to the buyer or the seller. */
export function fieldsOf(event: TriggerName, to: 'buyer' | 'seller'): string[] {
  const own = [...Object.keys(samplePayloadOf(event)), ...madeFields(event)];
  return [...new Set([...own, ...accountFields, ...linkFieldsOf(event, to)])];
}
