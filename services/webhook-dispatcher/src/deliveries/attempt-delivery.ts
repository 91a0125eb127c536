import { createSecretKey, type KeyObject } from 'node:crypto';
import { newId } from '@app/contracts/ids';
import type { Clock } from '@app/service-kit/clock';
import { secondsHistogram } from '@app/service-kit/metrics';
import { currentTraceparent, inSpan } from '@app/service-kit/tracing';
import { SpanKind } from '@opentelemetry/api';
import type { Agent } from 'undici';
import type { SecretBox } from '../endpoints/secret-box.ts';
import type { Delivery, Destination } from './delivery.types.ts';
import { type Exchange, exchange, isDelivered } from './exchange.ts';
import { failureText } from './failure.rules.ts';
import { destinationAttributes, recordExchange } from './outgoing-span.ts';
import { retryAfterMs, waitAfter } from './schedule.rules.ts';
import { signatureHeader } from './signature.ts';

/** One try of a delivery and its outcome, as the attempts table stores it. */
export interface Attempt {
  readonly id: string;
  readonly account_id: string;
  readonly delivery_id: string;
  readonly endpoint_id: string;
  readonly lease_token: string;
  readonly number: number;
  readonly created_at: string;
  readonly url: string;
  readonly delivered: boolean;
  readonly status_code: number | null;
  readonly duration_ms: number;
  readonly error: string | null;
  readonly response_excerpt: string | null;
  /** Null when delivered, and after the last try. */
  readonly next_attempt_at: string | null;
}

export interface AttemptDeps {
  readonly agent: Agent;
  readonly secrets: SecretBox;
  readonly clock: Clock;
  readonly attemptTimeoutMs: number;
}

const userAgent = 'funnelry-webhooks/1';

/** Returns the function that makes one try. It never rejects: an error is the outcome of the attempt. */
export function createAttemptDelivery(deps: AttemptDeps): (delivery: Delivery, to: Destination) => Promise<Attempt> {
  const prepare = createPrepare(deps.secrets);
  const duration = secondsHistogram('webhook-dispatcher', {
    name: 'webhook.attempt.duration',
    description:
      'Of attempts to deliver a webhook that this replica made, by outcome: delivered, retried later, failed for good.',
  });
  return async (delivery, to) => {
    const result = await post(deps, prepare, delivery, to);
    const nowMs = deps.clock.nowMs();
    const { statusCode } = result;
    const delivered = isDelivered(result);
    const requestedMs = retryAfterMs(result.retryAfter, Date.now());
    const waitMs = delivered ? null : waitAfter(delivery.number, Math.random(), requestedMs);
    const outcome = delivered ? 'delivered' : waitMs === null ? 'failed' : 'retried';
    duration?.(result.durationMs / 1_000, { 'webhook.outcome': outcome });
    return {
      id: newId('attempt', nowMs),
      account_id: delivery.accountId,
      delivery_id: delivery.id,
      endpoint_id: to.endpointId,
      lease_token: delivery.leaseToken,
      number: delivery.number,
      created_at: new Date(nowMs).toISOString(),
      url: to.url,
      delivered,
      status_code: statusCode,
      duration_ms: result.durationMs,
      error: result.error === null ? null : failureText(result.error),
      response_excerpt: result.excerpt === null ? null : excerptText(result.excerpt),
      next_attempt_at: waitMs === null ? null : new Date(nowMs + waitMs).toISOString(),
    };
  };
}

async function post(
  deps: AttemptDeps,
  prepare: (to: Destination) => PreparedDestination,
  delivery: Delivery,
  to: Destination,
): Promise<Exchange> {
  const attributes = {
    'webhook.id': delivery.eventId,
    'webhook.event': delivery.eventName,
    'account.id': delivery.accountId,
  };
  const settings = { service: 'webhook-dispatcher', kind: SpanKind.CLIENT, attributes, parent: delivery.traceparent };
  try {
    return await inSpan('send webhook', settings, async (span) => {
      span?.setAttributes(destinationAttributes(to.url));
      const { origin, path, keys } = prepare(to);
      const request = { origin, path, headers: headersOf(delivery, keys), body: delivery.body };
      const result = await exchange(deps.agent, request, deps.attemptTimeoutMs);
      if (span !== undefined) recordExchange(span, result);
      return result;
    });
  } catch (error) {
    return { statusCode: null, error, excerpt: null, retryAfter: null, durationMs: 0 };
  }
}

function headersOf(delivery: Delivery, keys: readonly KeyObject[]): string[] {
  // Receivers compare the timestamp with their own clocks, so it is real time and not the injected clock.
  const timestamp = Math.floor(Date.now() / 1000);
  const traceparent = currentTraceparent() ?? delivery.traceparent;
  const headers = [
    'content-type',
    'application/json',
    'user-agent',
    userAgent,
    'x-service-event',
    delivery.eventName,
    'webhook-id',
    delivery.eventId,
    'webhook-timestamp',
    String(timestamp),
    'webhook-signature',
    signatureHeader(keys, delivery.eventId, timestamp, delivery.body),
  ];
  if (delivery.test) headers.push('x-service-test', '1');
  if (traceparent !== null) headers.push('traceparent', traceparent);
  return headers;
}

/** The destination's URL in parts and its secret as a key. */
interface PreparedDestination {
  readonly origin: string;
  readonly path: string;
  readonly keys: readonly KeyObject[];
}

/** Each destination object is prepared once. It is replaced when its endpoint changes. */
function createPrepare(secrets: SecretBox): (to: Destination) => PreparedDestination {
  const cache = new WeakMap<Destination, PreparedDestination>();
  return (to) => {
    let prepared = cache.get(to);
    if (prepared === undefined) {
      const { origin, pathname, search } = new URL(to.url);
      const key = createSecretKey(secrets.open(to.secret, to.endpointId));
      prepared = { origin, path: pathname + search, keys: [key] };
      cache.set(to, prepared);
    }
    return prepared;
  };
}

/** Text that PostgreSQL can store: replaces invalid UTF-8, drops a character that was cut off at the end, removes NUL. */
function excerptText(bytes: Buffer): string {
  return new TextDecoder().decode(bytes, { stream: true }).replaceAll('\u0000', '');
}
