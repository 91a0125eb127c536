import { dayMs, hourMs, minuteMs } from '@app/contracts/durations';
import type { ListedEndpoint } from '../processors/stripe/stripe-endpoints.ts';

/** Whether the platform makes the endpoint: new payments use the key, and the seller stored no secret of an own one. */
export const isWanted = ({ current, status }: { readonly current: boolean; readonly status: string }): boolean =>
  current && status !== 'by_hand';

/** What the platform wants to have at Stripe for an account of a Stripe account. */
export interface Wanted {
  readonly url: string;
  readonly events: readonly string[];
  readonly apiVersion: string;
}

/** What billing has of an endpoint. */
export interface Known {
  readonly endpointId: string | null;
  /** Its address as it was made. */
  readonly url: string | null;
  readonly holdsSecret: boolean;
  /** The seller stored the secret. */
  readonly isByHand: boolean;
}

export interface Plan {
  /** Ids of endpoints that are deleted first. */
  readonly deleted: readonly string[];
  /** The endpoint that stays; null where one is made, or none is wanted. */
  readonly kept: { readonly id: string; readonly isRight: boolean } | null;
}

/**
 * What becomes of the account's endpoints at Stripe. Ours are those at our address, or at the one where it was made: endpoints of
 * another deployment stay, as of a copy of the database, also one that the copy has taken over: then we make another one. One whose
 * secret is not known is of no use, because Stripe says it once.
 * Where the seller stored a secret and has no endpoint at our address, it is the secret of ours, rolled at Stripe: that stays.
 * @param wanted null where none is to be there
 * @param url the address of the account
 */
export function planEndpoints(
  wanted: Wanted | null,
  url: string,
  listed: readonly ListedEndpoint[],
  known: Known,
): Plan {
  const ours = listed.filter((one) => one.isMadeForUs && (one.url === url || one.url === known.url));
  if (known.isByHand && !listed.some((one) => one.url === url && !one.isMadeForUs)) return { deleted: [], kept: null };
  const keeps = ({ id, apiVersion }: ListedEndpoint): boolean =>
    wanted !== null && known.holdsSecret && id === known.endpointId && apiVersion === wanted.apiVersion;
  const kept = ours.find(keeps);
  const deleted = ours.filter((one) => one !== kept).map(({ id }) => id);
  if (kept === undefined || wanted === null) return { deleted, kept: null };
  const isRight = kept.isEnabled && kept.url === wanted.url && isSame(kept.events, wanted.events);
  return { deleted, kept: { id: kept.id, isRight } };
}

const isSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((one) => others.includes(one));

/** How long after each attempt the next one follows, in milliseconds, should it not come to an end; then the last, again and again. */
const delaysMs = [2 * minuteMs, 10 * minuteMs, hourMs, 6 * hourMs, dayMs];

/** @param attempts the one that begins now among them */
export const nextDelayMs = (attempts: number): number => delaysMs[Math.min(attempts, delaysMs.length) - 1] as number;
