import type { AccountAtStripe } from '@app/contracts/payment-processors';
import type { ListedEndpoint } from '../processors/stripe/stripe-endpoints.ts';

/** What Stripe answered about the endpoints of an account, or why it did not. */
export type Asked =
  | { readonly listed: readonly Pick<ListedEndpoint, 'url' | 'isEnabled'>[] }
  | { readonly failure: Extract<AccountAtStripe, 'key_unreadable' | 'key_refused' | 'not_permitted' | 'no_answer'> };

/** What billing knows of it. */
export interface KnownOfAccount {
  /** Where its events are to come; null where Stripe does not reach this deployment. */
  readonly url: string | null;
  /** The seller made the endpoint, and stored its secret. */
  readonly isByHand: boolean;
  readonly lastEventAt: Date | null;
  /** Of the newest charge since its key was stored that is old enough to have had its event; null where there is none. */
  readonly lastChargeAt: Date | null;
}

/** The time of the last event is written once in ten seconds, and an event may come before its charge is recorded. */
const toleranceMs = 60_000;

/** How an account stands. What keeps it from charging comes before what makes outcomes known later. */
export function stateOfAccount(asked: Asked, known: KnownOfAccount): AccountAtStripe {
  const { url, isByHand } = known;
  const failure = 'failure' in asked ? asked.failure : null;
  if (failure !== null && failure !== 'not_permitted') return failure;
  if (url === null) return 'no_public_url';
  // Of an endpoint that the key may not show, events alone tell.
  if ('failure' in asked) return lacksEvents(known) ? 'no_events' : isByHand ? 'fine' : 'not_permitted';
  const ours = asked.listed.filter((endpoint) => endpoint.url === url);
  if (ours.length === 0) return 'no_endpoint';
  if (!ours.some(({ isEnabled }) => isEnabled)) return 'endpoint_disabled';
  return lacksEvents(known) ? 'no_events' : 'fine';
}

const lacksEvents = ({ lastChargeAt, lastEventAt }: KnownOfAccount): boolean =>
  lastChargeAt !== null && (lastEventAt?.getTime() ?? 0) < lastChargeAt.getTime() - toleranceMs;
