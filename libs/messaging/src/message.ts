import type { JsMsg } from '@nats-io/jetstream';

/** What rides with an event in its headers, named as in the tables that keep it. */
export interface EventHeaders {
  readonly request_id: string | null;
  readonly traceparent: string | null;
}

export const headersOf = (message: JsMsg): EventHeaders => ({
  request_id: message.headers?.get('request-id') || null,
  traceparent: message.headers?.get('traceparent') || null,
});

/** The event's id as its producer gave it to the stream, which is known without reading the event. */
export const messageId = (message: JsMsg): string =>
  message.headers?.get('Nats-Msg-Id') || `${message.info.stream}-${message.seq}`;
