import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestDefinition, RequestInput, RequestOutput } from '@app/contracts/define';
import { DomainError, type FieldError, isErrorCode } from '@app/contracts/errors';
import type { ServiceName } from '@app/contracts/services';
import { secondsHistogram, timed } from '@app/service-kit/metrics';
import { currentTraceparent, inSpan } from '@app/service-kit/tracing';
import { ServiceErrorHeader } from '@nats-io/services';
import type { Msg } from '@nats-io/transport-node';
import { SpanKind } from '@opentelemetry/api';
import type { NatsClient } from './connect.ts';
import { createTickEnd } from './event-loop-tick.ts';
import { createPeers, hasNoResponders, type Peer } from './peers.ts';
import { type Mailbox, openReplyInbox, type ReplyInbox } from './reply-inbox.ts';
import { attemptLimitMs, isWorking, writeContext } from './request-headers.ts';
import { requestSpan } from './spans.ts';

/** A service that gives no sign for this long hangs: an attempt without a sign for two thirds of it, then a ping. */
const hangsAfterMsDefault = 3_000;
/** A command goes to a service that answered within this; any other service is pinged first. */
const heardWithinMs = 1_000;
/** What was published is repeated. nats-server drops a replica that hangs after 15 s: an attempt after that reaches one that lives. */
const repeatWithinMs = 20_000;
const pauseMs = 100;
/** Most reconnects take less, of this process and of other services, which try every 100 to 150 ms; then the caller is refused. */
const reconnectWithinMs = 700;
const reconnectPauseMs = 50;

export interface CallContext {
  readonly accountId: string;
  readonly requestId: string;
  /** Required for commands: the id that makes repeating them harmless. */
  readonly commandId?: string;
  /** Given when this serves a request with a deadline of its own: its caller waits no longer than that. */
  readonly deadlineMs?: number;
  /** How long a command that takes its time is waited for; 20 s unless given, in milliseconds. */
  readonly waitMs?: number;
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
  /** Whether any replica of a service replies within the limit. */
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
  readonly peerOf: (service: ServiceName) => Peer;
  /** Requests of one tick of the event loop go out with one write. */
  readonly endOfTick: () => Promise<void>;
  readonly silentMs: number;
  readonly pingMs: number;
  /** Milliseconds since the epoch; infinite until this process closes. */
  closesAtMs: number;
}

/** @param hangsAfterMs three times, at least, what a callee leaves between two signs */
export function createRequester(nats: NatsClient, hangsAfterMs = hangsAfterMsDefault): Requester {
  const inbox = openReplyInbox(nats);
  const peerOf = createPeers(nats, inbox);
  const times = { silentMs: (hangsAfterMs * 2) / 3, pingMs: hangsAfterMs / 3, closesAtMs: Number.POSITIVE_INFINITY };
  const deps: RequesterDeps = { nats, inbox, peerOf, endOfTick: createTickEnd(), ...times };
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
    reaches: async (service, limitMs) => (await deps.peerOf(service).ping(limitMs)) === 'alive',
    finishWithin: (limitMs) => {
      deps.closesAtMs = Date.now() + limitMs;
      setTimeout(inbox.endWaits, limitMs).unref();
    },
  };
}

const decoder = new TextDecoder();

interface Call {
  readonly deps: RequesterDeps;
  readonly definition: RequestDefinition;
  readonly payload: Uint8Array;
  readonly context: CallContext;
  readonly mailbox: Mailbox;
  readonly peer: Peer;
  readonly startedMs: number;
  readonly giveUpMs: number;
  /** An earlier attempt may have reached a replica. */
  sent: boolean;
  /** When the latest attempt went out, by `performance.now()`. */
  sentMs: number;
}

/**
 * A request that no service received had no effect: the caller gets `service_unavailable` within a second. A command that
 * was published and never replied to (its service or the server died) may have taken effect: it is repeated under
 * its command id, which makes the callee reply with the first outcome, until that is known. A read is repeated too,
 * for as long as any replica of the service lives.
 */
async function deliver(
  deps: RequesterDeps,
  definition: RequestDefinition,
  payload: Uint8Array,
  context: CallContext,
): Promise<Uint8Array> {
  const mailbox = openMailbox(deps, definition);
  const peer = deps.peerOf(definition.service);
  const startedMs = performance.now();
  const times = { startedMs, sentMs: startedMs, giveUpMs: startedMs + (context.waitMs ?? repeatWithinMs) };
  const call: Call = { deps, definition, payload, context, mailbox, peer, sent: false, ...times };
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

/** Why an attempt brought no reply: no service received it, no sign came, the connection broke, or it took too long. */
type Failure = 'unreached' | 'silent' | 'lost' | 'timed_out';

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
  const isBusy = last === 'refused' || last === 'timed_out';
  if (outOfTime || isBusy || (last === 'unreached' && !mayBeReconnecting(call))) throw unavailable(call.definition);
  if (last === 'unreached') await sleep(reconnectPauseMs);
}

function mayBeReconnecting({ deps: { nats }, startedMs }: Call): boolean {
  if (performance.now() - startedMs >= reconnectWithinMs) return false;
  return !nats.connected() || nats.sinceChangeMs() < reconnectWithinMs;
}

function leftMs({ giveUpMs, context, deps }: Call): number {
  const deadlineMs = Math.min(context.deadlineMs ?? Number.POSITIVE_INFINITY, deps.closesAtMs);
  return Math.max(0, Math.min(giveUpMs - performance.now(), deadlineMs - Date.now()));
}

const unavailable = ({ service }: RequestDefinition): DomainError =>
  new DomainError(
    'service_unavailable',
    `The ${service} service does not answer: repeat the request in a few seconds.`,
  );

const lostDetail = 'The answer was lost. Repeat the request with its Idempotency-Key to learn its outcome.';
const outcomeUnknown = (): DomainError => new DomainError('outcome_unknown', lostDetail);

/** @throws service_unavailable when the service hangs and the request was given to no replica, or is a read */
async function attempt(call: Call): Promise<Msg | Failure> {
  const { deps, definition, context, mailbox } = call;
  if (!(await deps.nats.whenConnected(reconnectWithinMs))) return 'unreached';
  const isFirstOfCommand = isCommand(call) && !call.sent;
  if (isFirstOfCommand && !(await isReached(call))) return 'unreached';
  await deps.endOfTick();
  // What is published on a lost connection reaches no service, and would count as published.
  if (!deps.nats.connected()) return 'unreached';
  // A command for which its caller has no time left would have an unknown outcome.
  if (isFirstOfCommand && leftMs(call) < pauseMs) throw unavailable(definition);
  const limitMs = Math.min(attemptLimitMs, leftMs(call));
  const { accountId, requestId, commandId = '' } = context;
  const traceparent = currentTraceparent();
  const headers = writeContext({ accountId, requestId, commandId, timeoutMs: limitMs, traceparent });
  try {
    deps.nats.connection.publish(definition.subject, call.payload, { headers, reply: mailbox.subject });
  } catch {
    // The connection is closed.
    return 'unreached';
  }
  call.sentMs = performance.now();
  return await replyOrFailure(call, call.sentMs + limitMs);
}

/**
 * A command is not given to a service that hangs: its outcome would stay unknown. What was not published had no effect.
 * @throws service_unavailable when no replica gives a sign
 */
async function isReached({ peer, definition, deps }: Call): Promise<boolean> {
  if (peer.sinceHeardMs() < heardWithinMs) return true;
  const result = await peer.ping(deps.silentMs + deps.pingMs);
  if (result === 'silent') throw unavailable(definition);
  return result === 'alive';
}

/** Reads what arrives until one attempt is decided; a reply to any earlier attempt counts as well. */
async function replyOrFailure(call: Call, endMs: number): Promise<Msg | Failure> {
  while (performance.now() < endMs) {
    const reply = await call.mailbox.next(Math.min(call.deps.silentMs, endMs - performance.now()));
    if (reply === 'lost') return reply;
    if (reply === 'silent') {
      if (performance.now() < endMs) return await silence(call);
    } else {
      if (hasNoResponders(reply)) return 'unreached';
      call.peer.answered();
      if (!isWorking(reply)) return reply;
    }
  }
  return 'timed_out';
}

/** @throws service_unavailable for a read when no replica replies to a ping either, nor to another call since the attempt */
async function silence({ definition, peer, deps, sentMs }: Call): Promise<Failure> {
  if (definition.mode === 'command') return 'silent';
  const result = await peer.ping(deps.pingMs);
  if (result === 'silent' && peer.sinceHeardMs() >= performance.now() - sentMs) throw unavailable(definition);
  return result === 'alive' ? 'silent' : result;
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
