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
import { createPeers, hasNoResponders, type Peer, type PingResult } from './peers.ts';
import { type Mailbox, openReplyInbox, type ReplyInbox } from './reply-inbox.ts';
import { isWorking, tryLimitMs, writeContext } from './request-headers.ts';
import { requestSpan } from './spans.ts';

/**
 * A callee that works on a request sends a sign of it after 100 to 200 ms and every 200 ms from then on. A try without any sign
 * for 350 ms went to a replica that hangs: the next one usually reaches another.
 */
const silentTryMs = 350;
/** For a command from the fifth try on: it is repeated for 20 s, and each try waits in the replica that hangs. */
const silentLaterTryMs = 1_500;
const quickTries = 4;
/** Two silent tries and a ping without a reply: with the edge's own work a caller gets its error within a second. */
const downAfterMs = 700;
/** Known to be down: one more sign of life is waited for, no second round. A caller queued behind another stays under a second. */
const stillDownAfterMs = 200;
/** A command goes to a service heard of within this; any other service is pinged first. */
const heardWithinMs = 100;
/** How long a read is repeated. */
const readWithinMs = 5_000;
/** How long a command whose reply got lost is repeated until its outcome is known; the last try ends with it. */
const resolveWithinMs = 20_000;
const pauseMs = 100;
/** Most reconnects take less; after this the caller gets `service_unavailable`. */
const reachWithinMs = 700;
/** For so long after NATS has come back other services may not have subscribed again: they reconnect every 100 to 150 ms. */
const reconnectWithinMs = 700;
const reconnectPauseMs = 50;

export interface CallContext {
  readonly accountId: string;
  readonly requestId: string;
  /** Required for commands: the id that makes repeating them harmless. */
  readonly commandId?: string;
  /** Given when this serves a request with a deadline of its own: nobody waits for longer than that. */
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
   * gets `outcome_unknown`. A command that comes later is given to nobody and refused with `service_unavailable`.
   */
  finishWithin(limitMs: number): void;
}

interface RequesterDeps {
  readonly nats: NatsClient;
  readonly inbox: ReplyInbox;
  readonly peerOf: (service: ServiceName) => Peer;
  /** Requests of one tick of the event loop go out with one write. */
  readonly endOfTick: () => Promise<void>;
  /** Milliseconds since the epoch; infinite until this process closes. */
  closesAtMs: number;
}

export function createRequester(nats: NatsClient): Requester {
  const inbox = openReplyInbox(nats);
  const peerOf = createPeers(nats, inbox);
  const deps: RequesterDeps = { nats, inbox, peerOf, endOfTick: createTickEnd(), closesAtMs: Number.POSITIVE_INFINITY };
  const duration = secondsHistogram(nats.service, {
    name: 'messaging.client.operation.duration',
    description: 'Of requests to other services, from the first try to the answer, as this replica saw them.',
  });
  const requestBytes: Requester['requestBytes'] = async (definition, input, context) => {
    const send = () => deliver(deps, definition, Buffer.from(JSON.stringify(input)), context);
    const { name, attributes } = requestSpan('request', definition.subject);
    const span = { service: nats.service, kind: SpanKind.CLIENT, attributes };
    return await timed(duration, attributes, () => inSpan(name, span, send));
  };
  return {
    requestBytes,
    request: async (definition, input, context) => JSON.parse(textOf(await requestBytes(definition, input, context))),
    reaches: async (service, limitMs) => (await deps.peerOf(service).ping(limitMs)) === 'alive',
    finishWithin: (limitMs) => {
      deps.closesAtMs = Date.now() + limitMs;
    },
  };
}

const decoder = new TextDecoder();
const textOf = (bytes: Uint8Array): string => decoder.decode(bytes);

interface Call {
  readonly deps: RequesterDeps;
  readonly definition: RequestDefinition;
  readonly payload: Uint8Array;
  readonly context: CallContext;
  readonly mailbox: Mailbox;
  readonly peer: Peer;
  readonly startedMs: number;
  /** By `performance.now()`, as the start is. */
  readonly giveUpMs: number;
  /** Some try may have reached a replica. */
  handedOver: boolean;
  tries: number;
}

/**
 * A request that no service received had no effect: the caller gets `service_unavailable` within about a second. A command that
 * was handed over and never replied to (its service or the server died) may have taken effect: it is repeated under
 * its command id, which makes the callee reply with the first outcome, until that is known. A read is repeated too,
 * for as long as any replica of the service gives a sign of life.
 */
async function deliver(
  deps: RequesterDeps,
  definition: RequestDefinition,
  payload: Uint8Array,
  context: CallContext,
): Promise<Uint8Array> {
  const mailbox = deps.inbox.open();
  const peer = deps.peerOf(definition.service);
  const startedMs = performance.now();
  const giveUpMs = startedMs + (definition.mode === 'read' ? readWithinMs : (context.waitMs ?? resolveWithinMs));
  const fixed = { deps, definition, payload, context, mailbox, peer };
  const call: Call = { ...fixed, startedMs, giveUpMs, handedOver: false, tries: 0 };
  try {
    while (true) {
      const result = await attempt(call);
      if (result.kind === 'replied' && isFinal(call, result.message)) return unwrap(result.message);
      await beforeNextTry(call, result.kind);
    }
  } finally {
    mailbox.close();
  }
}

type TryResult =
  | { readonly kind: 'replied'; readonly message: Msg }
  /** Nobody received it. */
  | { readonly kind: 'unreached' }
  /** Nothing came in the time within which a callee that lives gives a sign. */
  | { readonly kind: 'silent' }
  /** The connection broke. */
  | { readonly kind: 'lost' }
  /** The time of one try is over. */
  | { readonly kind: 'timed_out' };

/** Whether the reply decides the call. The callee itself may not know whether it took effect (its database died in the commit). */
function isFinal(call: Call, message: Msg): boolean {
  const code = errorOf(message);
  if (code === 'outcome_unknown') return false;
  // "Try again" from a later try says nothing of an earlier one that may have taken effect.
  return code !== 'service_unavailable' || !call.handedOver;
}

/**
 * Waits until the next try is worth making.
 * @throws Error when there is none
 */
async function beforeNextTry(call: Call, last: TryResult['kind']): Promise<void> {
  const { definition, deps, startedMs } = call;
  if (last !== 'unreached') call.handedOver = true;
  const command = definition.mode === 'command' && call.handedOver;
  const spentMs = performance.now() - startedMs;
  const outOfTime = leftMs(call) < pauseMs;
  if (command) {
    if (outOfTime) throw outcomeUnknown();
    if (last !== 'silent') await sleep(pauseMs);
    return;
  }
  const { nats } = deps;
  const peersMayBeReconnecting =
    spentMs < reachWithinMs && (!nats.connected() || nats.sinceChangeMs() < reconnectWithinMs);
  // The caller learns that a service is busy: another try would keep it busy.
  if (outOfTime || last === 'replied' || (last === 'unreached' && !peersMayBeReconnecting))
    throw unavailable(definition);
  if (last === 'unreached') await sleep(reconnectPauseMs);
}

function leftMs({ giveUpMs, context, deps }: Call): number {
  const deadlineMs = Math.min(context.deadlineMs ?? Number.POSITIVE_INFINITY, deps.closesAtMs);
  return Math.max(0, Math.min(giveUpMs - performance.now(), deadlineMs - Date.now()));
}

const unavailable = ({ service }: RequestDefinition): DomainError =>
  new DomainError('service_unavailable', `The ${service} service does not answer; try again shortly.`);

const outcomeUnknown = (): DomainError =>
  new DomainError(
    'outcome_unknown',
    'The answer was lost. Repeat the request with its Idempotency-Key to learn its outcome.',
  );

async function attempt(call: Call): Promise<TryResult> {
  const { deps, definition, context, mailbox } = call;
  if (!(await deps.nats.whenConnected(reachWithinMs))) return { kind: 'unreached' };
  if (definition.mode === 'command' && !call.handedOver) {
    const found = await findAlive(call);
    if (found !== 'alive') return { kind: 'unreached' };
  }
  await deps.endOfTick();
  // What is published on a lost connection reaches nobody, and would count as handed over.
  if (!deps.nats.connected()) return { kind: 'unreached' };
  // No callee begins what nobody waits for, and its outcome would be called unknown.
  const firstOfCommand = definition.mode === 'command' && !call.handedOver;
  if (firstOfCommand && leftMs(call) < pauseMs) throw unavailable(definition);
  const limitMs = Math.min(tryLimitMs, leftMs(call));
  const tryEndMs = performance.now() + limitMs;
  const headers = writeContext({
    accountId: context.accountId,
    requestId: context.requestId,
    commandId: context.commandId ?? '',
    timeoutMs: limitMs,
    traceparent: currentTraceparent(),
  });
  try {
    deps.nats.connection.publish(definition.subject, call.payload, { headers, reply: mailbox.subject });
  } catch {
    // The connection is closed.
    return { kind: 'unreached' };
  }
  call.tries += 1;
  return await resultOf(call, tryEndMs);
}

/**
 * A command is not given to a service that hangs: its outcome would stay unknown. What was not handed over had no
 * effect, and its caller gets that error within a second.
 */
async function findAlive(call: Call): Promise<'alive' | 'unreached' | 'lost'> {
  const { peer, definition } = call;
  if (peer.sinceHeardMs() < heardWithinMs) return 'alive';
  const endMs = performance.now() + tryLimitMs;
  let result: PingResult;
  do result = await peer.ping(peer.down() ? stillDownAfterMs : downAfterMs);
  while (result === 'silent' && isBehind(call, endMs));
  if (result !== 'silent') return result;
  peer.gaveUp();
  throw unavailable(definition);
}

/** Reads what arrives until one try is decided; a reply to any earlier try counts as well. */
async function resultOf(call: Call, tryEndMs: number): Promise<TryResult> {
  const { mailbox, peer } = call;
  while (true) {
    const limitMs = Math.min(silenceLimitMs(call), Math.max(0, tryEndMs - performance.now()), leftMs(call));
    const reply = await mailbox.next(limitMs);
    if (reply === 'lost') return { kind: 'lost' };
    if (reply === 'silent') {
      if (isBehind(call, tryEndMs)) continue;
      return silence(call, tryEndMs);
    }
    if (hasNoResponders(reply)) return { kind: 'unreached' };
    peer.heard();
    if (!isWorking(reply)) return { kind: 'replied', message: reply };
    // At work for as long as a try may take: perhaps it hangs in its database; the next try has the same command id.
    if (performance.now() >= tryEndMs) return { kind: 'timed_out' };
  }
}

/** Signs lay unread until a moment ago: another try would only add to what lies there. */
function isBehind(call: Call, tryEndMs: number): boolean {
  const inTime = performance.now() < tryEndMs && leftMs(call) > 0;
  return inTime && call.deps.inbox.sinceBehindMs() < silenceLimitMs(call);
}

function silenceLimitMs({ peer, definition, tries }: Call): number {
  if (definition.mode === 'read') return peer.down() ? stillDownAfterMs : silentTryMs;
  return tries <= quickTries ? silentTryMs : silentLaterTryMs;
}

/** @throws Error for a read when the whole service has been silent for too long */
function silence(call: Call, tryEndMs: number): TryResult {
  const { peer, deps, definition, startedMs } = call;
  if (performance.now() >= tryEndMs) return { kind: 'timed_out' };
  const silentMs = Math.min(peer.sinceHeardMs(), deps.inbox.sinceBehindMs(), performance.now() - startedMs);
  if (definition.mode === 'read' && silentMs >= (peer.down() ? stillDownAfterMs : downAfterMs) - 1) {
    peer.gaveUp();
    throw unavailable(definition);
  }
  // Any replica's reply shows that the service lives, and that the next try is worth making.
  void peer.ping(downAfterMs);
  return { kind: 'silent' };
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
