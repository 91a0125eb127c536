import type { z } from 'zod';
import type { ServiceName } from './services.ts';
import { usualWaiting, type Waiting } from './time-outs.ts';

/**
 * A fact that a service publishes: past tense, versioned, on its own subject of that service's stream.
 * Producer and consumer import the same value; subject and stream follow from it. `outboxRow` makes an event of it, and
 * `onEvent` handles it in each service that `topology` says consumes it.
 */
export interface EventDefinition<Data extends z.ZodType = z.ZodType> {
  readonly kind: 'event';
  readonly service: ServiceName;
  /** `<noun>.<past-tense>`, e.g. `order.paid`. */
  readonly name: string;
  readonly version: number;
  readonly subject: string;
  readonly data: Data;
}

export function defineEvent<Data extends z.ZodType>(
  service: ServiceName,
  name: string,
  version: number,
  data: Data,
): EventDefinition<Data> {
  return { kind: 'event', service, name, version, subject: `evt.${service}.${name}.v${version}`, data };
}

export type EventData<E> = E extends EventDefinition<infer D> ? z.infer<D> : never;

/** The body of a message on a stream. Trace and request id are in its headers. */
export interface EventEnvelope<Data> {
  /** `evt_` + UUIDv7; also the JetStream message id and the key of every consumer's inbox. */
  readonly id: string;
  readonly accountId: string;
  /** ISO 8601 UTC with milliseconds: when it happened, not when it was sent. */
  readonly occurredAt: string;
  readonly data: Data;
}

/** One JetStream stream for each publishing service. */
export const streamName = (service: ServiceName): string => `EVT_${service.toUpperCase().replaceAll('-', '_')}`;

/** The durable consumer of one kind of event in one service, e.g. `metrics_order-paid-v1`. */
export const durableName = (consumer: ServiceName, event: EventDefinition): string =>
  `${consumer}_${event.name.replaceAll('.', '-')}-v${event.version}`;

/** All subjects of a service's stream. */
export const streamSubjects = (service: ServiceName): string => `evt.${service}.>`;

/**
 * A request that one service handles over NATS request/reply, by the handler that `onRequest` has for the same value there.
 * - `read` changes nothing, so it may be repeated at will.
 * - `command` changes something. It carries a command id and takes effect at most once for that id, so the requester may
 *   repeat it when a response got lost.
 *
 * Its time-out is no shorter than that of any request that is made while it is handled (test/time-outs.test.ts).
 */
export interface RequestDefinition<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType>
  extends Waiting {
  readonly kind: 'request';
  readonly service: ServiceName;
  /** `<resource>.<verb>`, e.g. `orders.place`. */
  readonly name: string;
  readonly mode: 'read' | 'command';
  readonly subject: string;
  readonly input: Input;
  readonly output: Output;
}

/** @param shapes its input and output, and how it is waited for where that is not as usual in its mode */
export function defineRequest<Input extends z.ZodType, Output extends z.ZodType>(
  mode: 'read' | 'command',
  service: ServiceName,
  name: string,
  shapes: { input: Input; output: Output } & Partial<Waiting>,
): RequestDefinition<Input, Output> {
  return { kind: 'request', mode, service, name, subject: `svc.${service}.${name}`, ...usualWaiting[mode], ...shapes };
}

export type RequestInput<R> = R extends RequestDefinition<infer I, z.ZodType> ? z.infer<I> : never;
export type RequestOutput<R> = R extends RequestDefinition<z.ZodType, infer O> ? z.infer<O> : never;
