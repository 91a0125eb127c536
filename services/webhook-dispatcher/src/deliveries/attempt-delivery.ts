import type { Clock } from '@app/service-kit/clock';
import { secondsHistogram } from '@app/service-kit/metrics';
import { currentTraceparent, inSpan } from '@app/service-kit/tracing';
import { SpanKind } from '@opentelemetry/api';
import type { SecretBox } from '../secrets/secret-box.ts';
import { type Attempt, type ExchangeColumns, newAttempt } from './attempt.ts';
import type { Delivery, Destination } from './delivery.types.ts';
import { diagnose } from './diagnosis.rules.ts';
import { type Exchange, goneStatus, headerOf, isAcknowledged, isDelivered, noExchange } from './exchange.rules.ts';
import { exchange } from './exchange.ts';
import { failureText } from './failure.rules.ts';
import { AddressBusyError, type GuardedAgent } from './guarded-agent.ts';
import { destinationAttributes, recordExchange } from './outgoing-span.ts';
import { deliveryHeaders, type PreparedDestination, prepareDestination, signingKeys } from './request-headers.ts';
import { retryAfterMs, waitAfter } from './schedule.rules.ts';

export interface AttemptDeps {
  readonly agent: GuardedAgent;
  readonly secrets: SecretBox;
  readonly clock: Clock;
  readonly attemptTimeoutMs: number;
  /** A receiver has acknowledged, at the address. */
  readonly onAcknowledged: (url: string, address: string) => void;
}

/**
 * Returns the function that makes one attempt. It never rejects: an error is the outcome of the attempt. Null when none was made,
 * because the receiver's address has got what it may.
 */
export function createAttemptDelivery(
  deps: AttemptDeps,
): (delivery: Delivery, to: Destination) => Promise<Attempt | null> {
  const prepare = createPrepare(deps.secrets);
  const duration = secondsHistogram('webhook-dispatcher', {
    name: 'webhook.attempt.duration',
    description:
      'Of attempts to deliver a webhook that this replica made, by outcome: delivered, retried later, or failed as the last one.',
  });
  return async (delivery, to) => {
    const result = await post(deps, prepare, delivery, to);
    if (result.error instanceof AddressBusyError) return null;
    const nowMs = deps.clock.nowMs();
    const delivered = isDelivered(result);
    const waitMs = delivered ? null : waitBeforeNextAttemptMs(delivery, result);
    if (isAcknowledged(result.statusCode) && to.url !== null && result.address !== null)
      deps.onAcknowledged(to.url, result.address);
    const outcome = delivered ? 'delivered' : waitMs === null ? 'failed' : 'retried';
    duration?.(result.durationMs / 1_000, { 'webhook.outcome': outcome });
    return newAttempt(nowMs, delivery, {
      endpoint_id: to.endpointId,
      number: delivery.attemptNumber,
      url: to.url,
      delivered,
      waitMs,
      reason_if_ended: outcome === 'failed' ? 'attempts_used' : null,
      ...exchangeColumns(result, to.url ?? ''),
    });
  };
}

/**
 * Milliseconds until the next attempt; null after the last one. After 410 the endpoint is switched off: another attempt
 * always follows, so that the delivery is held with the others.
 */
function waitBeforeNextAttemptMs(
  { attemptNumber, attemptsBeforeSchedule }: Delivery,
  { statusCode, headers }: Exchange,
): number | null {
  // A date in it is of real time, whatever `deps.clock` is set to.
  const requestedMs = retryAfterMs(headerOf(headers, 'retry-after'), Date.now());
  // What it announces after 410 is not shown (`pendingAgain`): any wait will do, but without one it would be the last attempt.
  const ofSchedule = statusCode === goneStatus ? 1 : attemptNumber - attemptsBeforeSchedule;
  return waitAfter(ofSchedule, Math.random(), requestedMs);
}

/** What the attempts table stores of an exchange. */
function exchangeColumns(result: Exchange, url: string): ExchangeColumns {
  const response = result.excerpt === null ? null : excerptText(result.excerpt);
  const finding = diagnose({ ...result, url, body: response ?? '' });
  return {
    status_code: result.statusCode,
    duration_ms: result.durationMs,
    dns_ms: result.dnsMs,
    connect_ms: result.connectMs,
    tls_ms: result.tlsMs,
    first_byte_ms: result.firstByteMs,
    error: result.error === null ? null : failureText(result.error),
    diagnosis: finding?.code ?? null,
    diagnosis_detail: finding?.detail ?? null,
    response,
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
      const prepared = prepare(to);
      const { url, origin, path, ownHeaders } = prepared;
      span?.setAttributes(destinationAttributes(url));
      const headers = deliveryHeaders(delivery, signingKeys(prepared, deps.clock.nowMs()), {
        timestamp: Math.floor(Date.now() / 1000),
        traceparent: currentTraceparent() ?? delivery.traceparent,
        ownHeaders,
      });
      const request = { origin, path, headers, body: delivery.body };
      const result = await exchange(deps.agent, request, deps.attemptTimeoutMs);
      if (span !== undefined) recordExchange(span, result);
      return result;
    });
  } catch (error) {
    return { ...noExchange, error };
  }
}

/** Each destination object is prepared once. It is replaced when its endpoint changes. */
function createPrepare(secrets: SecretBox): (to: Destination) => PreparedDestination {
  const cache = new WeakMap<Destination, PreparedDestination>();
  return (to) => {
    const known = cache.get(to);
    if (known !== undefined) return known;
    const prepared = prepareDestination(secrets, to);
    cache.set(to, prepared);
    return prepared;
  };
}

/** Text that PostgreSQL can store: replaces invalid UTF-8, drops a character that was cut off at the end, removes NUL. */
function excerptText(bytes: Buffer): string {
  // Most responses are empty.
  if (bytes.length === 0) return '';
  return new TextDecoder().decode(bytes, { stream: true }).replaceAll('\u0000', '');
}
