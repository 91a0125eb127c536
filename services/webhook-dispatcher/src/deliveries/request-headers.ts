import { createSecretKey, type KeyObject } from 'node:crypto';
import { openHeaders } from '../secrets/own-headers.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import type { Delivery, Destination } from './delivery.types.ts';
import { signatureHeader } from './signature.ts';

const userAgent = 'funnelry-webhooks/1';

/** A destination whose URL is taken apart and whose secrets are opened. */
export interface PreparedDestination {
  readonly url: string;
  readonly origin: string;
  readonly path: string;
  readonly key: KeyObject;
  /** The key before, which signs too until then, in milliseconds of the injected clock. */
  readonly previous: { readonly key: KeyObject; readonly untilMs: number } | null;
  /** The endpoint's own headers: names and values in turn. */
  readonly ownHeaders: readonly string[];
}

/** @throws Error for an endpoint without a URL; UnreadableSecretError */
export function prepareDestination(secrets: SecretBox, to: Destination): PreparedDestination {
  const { endpointId, url, secret, previous, headers } = to;
  if (url === null || secret === null) throw new Error('the endpoint has no URL');
  const { origin, pathname, search } = new URL(url);
  const keyOf = (sealed: string) => createSecretKey(secrets.open(sealed, endpointId));
  return {
    url,
    origin,
    path: pathname + search,
    key: keyOf(secret),
    previous: previous && { key: keyOf(previous.secret), untilMs: previous.untilMs },
    ownHeaders: Object.entries(openHeaders(secrets, endpointId, headers)).flat(),
  };
}

/** The keys that sign now, the newest first. */
export function signingKeys({ key, previous }: PreparedDestination, nowMs: number): KeyObject[] {
  return previous !== null && nowMs < previous.untilMs ? [key, previous.key] : [key];
}

export type Message = Pick<Delivery, 'eventId' | 'eventName' | 'body' | 'test'>;

/**
 * The headers of a delivery: names and values in turn.
 * @param timestamp seconds since the epoch by real time, because receivers compare it with their own clocks
 */
export function deliveryHeaders(
  message: Message,
  keys: readonly KeyObject[],
  {
    timestamp,
    traceparent,
    ownHeaders,
  }: {
    readonly timestamp: number;
    readonly traceparent: string | null;
    readonly ownHeaders: readonly string[];
  },
): string[] {
  const { eventId, eventName, body, test } = message;
  const headers = [
    'content-type',
    'application/json',
    'user-agent',
    userAgent,
    'x-service-event',
    eventName,
    'webhook-id',
    eventId,
    'webhook-timestamp',
    String(timestamp),
    'webhook-signature',
    signatureHeader(keys, eventId, timestamp, body),
    ...ownHeaders,
  ];
  if (test) headers.push('x-service-test', '1');
  if (traceparent !== null) headers.push('traceparent', traceparent);
  return headers;
}
