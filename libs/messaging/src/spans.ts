import { streamName } from '@app/contracts/define';
import type { ServiceName } from '@app/contracts/services';
import type { BatchItem } from '@app/service-kit/tracing';
import type { Attributes } from '@opentelemetry/api';

/** Names and attributes of spans, as OpenTelemetry's conventions for messaging have them. */
interface SpanText {
  readonly name: string;
  readonly attributes: Attributes;
}

const system = { 'messaging.system': 'nats' };

function messageSpan(
  operation: 'request' | 'process' | 'publish',
  type: 'send' | 'process',
  subject: string,
): SpanText {
  const attributes = {
    ...system,
    'messaging.operation.name': operation,
    'messaging.operation.type': type,
    'messaging.destination.name': subject,
  };
  return { name: `${operation} ${subject}`, attributes };
}

const requestSpans = new Map<string, SpanText>();

/** A request over NATS, on the caller's and on the server's side. Made once for each: every request has one. */
export function requestSpan(operation: 'request' | 'process', subject: string): SpanText {
  const key = `${operation} ${subject}`;
  const known = requestSpans.get(key) ?? messageSpan(operation, operation === 'request' ? 'send' : 'process', subject);
  requestSpans.set(key, known);
  return known;
}

export function publishSpan(subject: string, eventId: string): SpanText {
  const { name, attributes } = messageSpan('publish', 'send', subject);
  return { name, attributes: { ...attributes, 'messaging.message.id': eventId } };
}

/** One event being consumed. */
export function consumeSpan(
  subject: string,
  consumer: ServiceName,
  event: { readonly id: string; readonly traceparent: string | undefined },
): BatchItem {
  const { name, attributes } = messageSpan('process', 'process', subject);
  const about = { 'messaging.message.id': event.id, 'messaging.consumer.group.name': consumer };
  return { name, traceparent: event.traceparent, attributes: { ...attributes, ...about } };
}

/** The work on events that are consumed together; a lone event's is its own span. */
export function batchSpan(source: ServiceName, events: number): SpanText {
  const stream = streamName(source);
  const name = `process ${stream}`;
  if (events === 1) return { name, attributes: {} };
  const batch = { 'messaging.operation.name': 'process', 'messaging.operation.type': 'process' };
  const count = { 'messaging.destination.name': stream, 'messaging.batch.message_count': events };
  return { name, attributes: { ...system, ...batch, ...count } };
}
