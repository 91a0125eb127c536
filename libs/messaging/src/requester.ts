import { setTimeout as sleep } from 'node:timers/promises';
import { defineRequest, type RequestDefinition, type RequestInput, type RequestOutput } from '@app/contracts/define';
import { DomainError, type FieldError, isErrorCode } from '@app/contracts/errors';
import type { ServiceName } from '@app/contracts/services';
import { secondsHistogram, timed } from '@app/service-kit/metrics';
import { currentTraceparent, inSpan } from '@app/service-kit/tracing';
import { ServiceErrorHeader } from '@nats-io/services';
import type { Msg } from '@nats-io/transport-node';
import { SpanKind } from '@opentelemetry/api';
import { z } from 'zod';
import type { NatsClient } from './connect.ts';
import { createTickEnd } from './event-loop-tick.ts';
import { type Mailbox, openReplyInbox, type Received, type ReplyInbox } from './reply-inbox.ts';
import { presenceName, writeContext } from './request-headers.ts';
import { requestSpan } from './spans.ts';

const pauseMs = 100;
/** Most reconnects take less, of this process and of other services, which try every 100 to 150 ms; then the caller is refused. */
const reconnectWithinMs = 700;
const reconnectPauseMs = 50;

export interface CallContext {
  readonly accountId: string;
  readonly requestId: string;
  /** Required for commands: the id that makes repeating them harmless. */
  readonly commandId?: string;
  /** Until when its caller waits, in milliseconds since the epoch, where that is less than the definition's time-out. */
  readonly deadlineMs?: number;
}

export interface Requester {
  /**
   * Sends the request and parses the reply.
   * @throws the callee's DomainError, or service_unavailable, outcome_unknown
   */
  request<R extends RequestDefinition>(
    definition: R,
    input: RequestInput<R>,
    context: CallContext,
  ): Promise<RequestOutput<R>>;
  /** The reply's JSON, unparsed: for an edge that only passes it on. */
  requestBytes<R extends RequestDefinition>(
    definition: R,
    input: RequestInput<R>,
    context: CallContext,
  ): Promise<Uint8Array>;
  /** Whether a replica of a service replies within the limit. */
  reaches(service: ServiceName, limitMs: number): Promise<boolean>;
  /**
   * From now on no call takes longer than this, in milliseconds: the caller of a command whose outcome is unknown by then
   * gets `outcome_unknown`. A command that comes later is sent to no service and refused with `service_unavailable`.
   */
  finishWithin(limitMs: number): void;
}

interface RequesterDeps {
  readonly nats: NatsClient;
  readonly inbox: ReplyInbox;
  /** Requests of one tick of the event loop go out with one write. */
  readonly endOfTick: () => Promise<void>;
  /** By `performance.now()`; infinite until this process closes. */
  closesAtMs: number;
}

export function createRequester(nats: NatsClient): Requester {
  const inbox = openReplyInbox(nats);
  const deps: RequesterDeps = { nats, inbox, endOfTick: createTickEnd(), closesAtMs: Number.POSITIVE_INFINITY };
  const duration = secondsHistogram(nats.service, {
    name: 'messaging.client.operation.duration',
    description: 'Of requests to other services, from the first attempt to the reply, as this replica saw them.',
  });
  const requestBytes: Requester['requestBytes'] = async (definition, input, context) => {
    const send = () => deliver(deps, definition, Buffer.from(JSON.stringify(input)), context);
    const { name, attributes } = requestSpan('request', definition.subject);
    const span = { service: nats.service, kind: SpanKind.CLIENT, attributes };
    return await timed(duration, attributes, () => inSpan(name, span, send));
  };
  return {
    requestBytes,
    request: async (definition, input, context) =>
      JSON.parse(decoder.decode(await requestBytes(definition, input, context))),
    reaches: async (service, limitMs) => {
      const context = { accountId: '', requestId: '', deadlineMs: Date.now() + limitMs };
      return await deliver(deps, presenceOf(service), Buffer.from('{}'), context).then(
        () => true,
        () => false,
      );
    },
    finishWithin: (limitMs) => {
      deps.closesAtMs = performance.now() + limitMs;
      setTimeout(inbox.endWaits, limitMs).unref();
    },
  };
}

const decoder = new TextDecoder();

const presenceOf = (service: ServiceName) =>
  defineRequest('read', service, presenceName, { input: z.object({}), output: z.object({}) });

interface Call {
  readonly deps: RequesterDeps;
  readonly definition: RequestDefinition;
  readonly payload: Uint8Array;
  readonly context: CallContext;
  readonly mailbox: Mailbox;
  /** By `performance.now()`, as all of these times. */
  readonly startedMs: number;
  readonly giveUpMs: number;
  /** An earlier attempt may have reached a replica. */
  sent: boolean;
}

/**
 * A request that no service received had no effect: the caller gets `service_unavailable` at once. A command that was
 * published and never replied to (its service or the server died, or hangs) may have taken effect: it is repeated under
 * its command id, which makes the callee reply with the first outcome, until that is known or its time is over. A read is
 * repeated too.
 */
async function deliver(
  deps: RequesterDeps,
  definition: RequestDefinition,
  payload: Uint8Array,
  context: CallContext,
): Promise<Uint8Array> {
  const mailbox = openMailbox(deps, definition);
  const startedMs = performance.now();
  const waitsMs = (context.deadlineMs ?? Number.POSITIVE_INFINITY) - Date.now();
  const giveUpMs = startedMs + Math.min(definition.timeoutMs, waitsMs);
  const call: Call = { deps, definition, payload, context, mailbox, startedMs, giveUpMs, sent: false };
  try {
    while (true) {
      const result = await attempt(call);
      if (typeof result !== 'string' && isFinal(call, result)) return unwrap(result);
      await beforeNextAttempt(call, typeof result === 'string' ? result : 'refused');
    }
  } finally {
    mailbox.close();
  }
}

/** @throws service_unavailable when the connection is closed: its first request to a service subscribes */
function openMailbox({ inbox }: RequesterDeps, definition: RequestDefinition): Mailbox {
  try {
    return inbox.open(definition.service);
  } catch {
    throw unavailable(definition);
  }
}

/** Why an attempt brought no reply: no service received it, none came in time, or the connection broke. */
type Failure = 'unreached' | 'silent' | 'lost';

const isCommand = ({ definition }: Call): boolean => definition.mode === 'command';

/** Whether the reply decides the call. The callee itself may not know whether it took effect (its database died in the commit). */
function isFinal(call: Call, message: Msg): boolean {
  const code = errorOf(message);
  if (code === 'outcome_unknown') return false;
  // "Try again" from a later attempt says nothing of an earlier one that may have taken effect.
  return code !== 'service_unavailable' || !call.sent;
}

/**
 * Waits until the next attempt is worth making.
 * @throws Error when there is none
 */
async function beforeNextAttempt(call: Call, last: Failure | 'refused'): Promise<void> {
  if (last !== 'unreached') call.sent = true;
  const outOfTime = leftMs(call) < pauseMs;
  if (isCommand(call) && call.sent) {
    if (outOfTime) throw outcomeUnknown();
    if (last !== 'silent') await sleep(pauseMs);
    return;
  }
  // Another attempt would keep a busy service busy.
  const isBusy = last === 'refused';
  if (outOfTime || isBusy || (last === 'unreached' && !mayBeReconnecting(call))) throw unavailable(call.definition);
  if (last === 'unreached') await sleep(reconnectPauseMs);
}

function mayBeReconnecting({ deps: { nats }, startedMs }: Call): boolean {
  if (performance.now() - startedMs >= reconnectWithinMs) return false;
  return !nats.connected() || nats.sinceChangeMs() < reconnectWithinMs;
}

const leftMs = ({ giveUpMs, deps }: Call): number =>
  Math.max(0, Math.min(giveUpMs, deps.closesAtMs) - performance.now());

const unavailable = ({ service }: RequestDefinition): DomainError =>
  new DomainError(
    'service_unavailable',
    `The ${service} service does not answer: repeat the request in a few seconds.`,
  );

const lostDetail = 'The answer was lost. Repeat the request with its Idempotency-Key to learn its outcome.';
const outcomeUnknown = (): DomainError => new DomainError('outcome_unknown', lostDetail);

/** @throws service_unavailable when there is no time left for a first attempt */
async function attempt(call: Call): Promise<Msg | Failure> {
  const { deps, definition, context, mailbox } = call;
  if (!(await deps.nats.whenConnected(Math.min(reconnectWithinMs, leftMs(call))))) return 'unreached';
  await deps.endOfTick();
  // What is published on a lost connection reaches no service, and would count as published.
  if (!deps.nats.connected()) return 'unreached';
  // A command for which its caller has no time left would have an unknown outcome.
  if (isCommand(call) && !call.sent && leftMs(call) < pauseMs) throw unavailable(definition);
  const { accountId, requestId, commandId = '' } = context;
  const traceparent = currentTraceparent();
  const headers = writeContext({ accountId, requestId, commandId, timeoutMs: leftMs(call), traceparent });
  try {
    deps.nats.connection.publish(definition.subject, call.payload, { headers, reply: mailbox.subject });
  } catch {
    // The connection is closed.
    return 'unreached';
  }
  const reply = await nextReply(mailbox, Math.min(definition.repeatAfterMs, leftMs(call)));
  return typeof reply !== 'string' && hasNoResponders(reply) ? 'unreached' : reply;
}

/** The reply to this attempt or to an earlier one. */
async function nextReply(mailbox: Mailbox, limitMs: number): Promise<Received> {
  const endMs = performance.now() + limitMs;
  while (true) {
    const reply = await mailbox.next(Math.max(0, endMs - performance.now()));
    // During an update from release 0.2 its replicas say by an empty message that they work on a request.
    if (typeof reply === 'string' || reply.data.length > 0 || reply.headers?.get('working') !== '1') return reply;
  }
}

/** nats-server itself replies to a request on a subject without a subscription. */
function hasNoResponders(message: Msg): boolean {
  return message.data.length === 0 && message.headers?.code === 503;
}

/** The code a callee refused with; empty for a result. */
const errorOf = (message: Msg): string => message.headers?.get(ServiceErrorHeader) ?? '';

function unwrap(message: Msg): Uint8Array {
  if (errorOf(message) !== '') {
    const { code, detail, errors } = message.json<{ code: unknown; detail: string; errors: FieldError[] }>();
    throw new DomainError(isErrorCode(code) ? code : 'internal', detail, errors);
  }
  return message.data;
}
