import { createSecretKey, type KeyObject } from 'node:crypto';
import { newId } from '@app/contracts/ids';
import type { Clock } from '@app/service-kit/clock';
import { currentTraceparent, inSpan } from '@app/service-kit/tracing';
import { SpanKind } from '@opentelemetry/api';
import type { Agent } from 'undici';
import type { SecretBox } from '../endpoints/secret-box.ts';
import type { Delivery, Destination } from './delivery.types.ts';
import { type Exchange, exchange, isDelivered } from './exchange.ts';
import { failureWords } from './failure.rules.ts';
import { destinationAttributes, tellSpan } from './outgoing-span.ts';
import { retryAfterMs, waitAfter } from './schedule.rules.ts';
import { signatureHeader } from './signature.ts';

/** One try of a delivery and what follows from it, as the attempts table keeps it. */
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

/** Makes one try. Never rejects: whatever goes wrong is the attempt's outcome. */
export function createAttempting(deps: AttemptDeps): (delivery: Delivery, to: Destination) => Promise<Attempt> {
  const routeOf = createRoutes(deps.secrets);
  return async (delivery, to) => {
    const result = await post(deps, routeOf, delivery, to);
    const nowMs = deps.clock.nowMs();
    const { statusCode } = result;
    const delivered = isDelivered(result);
    const asked = retryAfterMs(result.retryAfter, Date.now());
    const waitMs = delivered ? null : waitAfter(delivery.number, Math.random(), asked);
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
      error: result.error === null ? null : failureWords(result.error),
      response_excerpt: result.excerpt === null ? null : excerptText(result.excerpt),
      next_attempt_at: waitMs === null ? null : new Date(nowMs + waitMs).toISOString(),
    };
  };
}

async function post(
  deps: AttemptDeps,
  routeOf: (to: Destination) => Route,
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
      const { origin, path, keys } = routeOf(to);
      const request = { origin, path, headers: headersOf(delivery, keys), body: delivery.body };
      const result = await exchange(deps.agent, request, deps.attemptTimeoutMs);
      if (span !== undefined) tellSpan(span, result);
      return result;
    });
  } catch (error) {
    return { statusCode: null, error, excerpt: null, retryAfter: null, durationMs: 0 };
  }
}

function headersOf(delivery: Delivery, keys: readonly KeyObject[]): string[] {
  // Real time: receivers compare it with their own clocks.
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

/** What a destination comes to when it is used: its URL in parts and its secret as a key. */
interface Route {
  readonly origin: string;
  readonly path: string;
  readonly keys: readonly KeyObject[];
}

/** Prepared once for each destination object, which lives as long as its endpoint stays as it is. */
function createRoutes(secrets: SecretBox): (to: Destination) => Route {
  const routes = new WeakMap<Destination, Route>();
  return (to) => {
    let route = routes.get(to);
    if (route === undefined) {
      const { origin, pathname, search } = new URL(to.url);
      const key = createSecretKey(secrets.open(to.secret, to.endpointId));
      route = { origin, path: pathname + search, keys: [key] };
      routes.set(to, route);
    }
    return route;
  };
}

/** Text that PostgreSQL can store: invalid UTF-8 replaced, a character cut off at the end dropped, NUL removed. */
function excerptText(bytes: Buffer): string {
  return new TextDecoder().decode(bytes, { stream: true }).replaceAll('\u0000', '');
}
