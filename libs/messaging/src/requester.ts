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
import { createPeers, hasNoResponders, type Peer, type PingResult } from './peers.ts';
import { type Mailbox, openReplyInbox, type ReplyInbox } from './reply-inbox.ts';
import { isWorking, tryLimitMs, writeContext } from './request-headers.ts';
import { requestSpan } from './spans.ts';
import { createTurn } from './turn.ts';

/**
 * A callee that works on a request says so after 100 to 200 ms and every 200 ms from then on. A try without any sign
 * for 350 ms went to a replica that hangs: the next one usually reaches another.
 */
const silentTryMs = 350;
/** For a command from the fifth try on: it is repeated for 20 s, and each try waits in the replica that hangs. */
const silentLaterTryMs = 1_500;
const quickTries = 4;
/** Two silent tries and a ping that no replica answered: with the edge's own work a caller hears it within a second. */
const downAfterMs = 700;
/** Known to be down: one more sign of life is waited for, no second round. A caller queued behind another stays under a second. */
const stillDownAfterMs = 200;
/** A command goes to a service heard of within this; else the service is asked first whether it is there. */
const heardWithinMs = 100;
/** How long a read is repeated. */
const readWithinMs = 5_000;
/** How long a command whose answer got lost is repeated until its outcome is known; the last try ends with it. */
const resolveWithinMs = 20_000;
const pauseMs = 100;
/** Most reconnects take less; after this the caller is told to come again. */
const reachWithinMs = 700;
/** For so long after NATS has come back the others may not have subscribed again: they try every 100 to 150 ms. */
const settlingMs = 700;
const settlingPauseMs = 50;

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
   * Asks and parses the answer.
   * @throws the callee's DomainError, or service_unavailable, outcome_unknown
   */
  request<R extends RequestDefinition>(
    definition: R,
    input: RequestInput<R>,
    context: CallContext,
  ): Promise<RequestOutput<R>>;
  /** The answer's JSON, unparsed: for an edge that only passes it on. */
  requestBytes<R extends RequestDefinition>(
    definition: R,
    input: RequestInput<R>,
    context: CallContext,
  ): Promise<Uint8Array>;
  /** Whether any replica of a service answers within the limit. */
  reaches(service: ServiceName, limitMs: number): Promise<boolean>;
  /** From now on no call takes longer than this; the caller of a command whose outcome is unknown by then gets `outcome_unknown`. */
  finishWithin(limitMs: number): void;
}

interface Port {
  readonly nats: NatsClient;
  readonly inbox: ReplyInbox;
  readonly peerOf: (service: ServiceName) => Peer;
  /** Requests of one turn of the event loop go out with one write. */
  readonly endOfTurn: () => Promise<void>;
  /** Milliseconds since the epoch; infinite until this process closes. */
  closesAtMs: number;
}

export function createRequester(nats: NatsClient): Requester {
  const inbox = openReplyInbox(nats);
  const peerOf = createPeers(nats, inbox);
  const port: Port = { nats, inbox, peerOf, endOfTurn: createTurn(), closesAtMs: Number.POSITIVE_INFINITY };
  const duration = secondsHistogram(nats.service, {
    name: 'messaging.client.operation.duration',
    description: 'Of requests to other services, from the first try to the answer, as this replica saw them.',
  });
  const requestBytes: Requester['requestBytes'] = async (definition, input, context) => {
    const ask = () => deliver(port, definition, Buffer.from(JSON.stringify(input)), context);
    const { name, attributes } = requestSpan('request', definition.subject);
    const span = { service: nats.service, kind: SpanKind.CLIENT, attributes };
    return await timed(duration, attributes, () => inSpan(name, span, ask));
  };
  return {
    requestBytes,
    request: async (definition, input, context) => JSON.parse(textOf(await requestBytes(definition, input, context))),
    reaches: async (service, limitMs) => (await port.peerOf(service).ping(limitMs)) === 'alive',
    finishWithin: (limitMs) => {
      port.closesAtMs = Date.now() + limitMs;
    },
  };
}

const decoder = new TextDecoder();
const textOf = (bytes: Uint8Array): string => decoder.decode(bytes);

interface Call {
  readonly port: Port;
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
 * was handed over and never answered (its service or the server died) may have taken effect: it is repeated under
 * its command id, which makes the callee answer with the first outcome, until that is known. A read is repeated too,
 * for as long as any replica of the service gives a sign of life.
 */
async function deliver(
  port: Port,
  definition: RequestDefinition,
  payload: Uint8Array,
  context: CallContext,
): Promise<Uint8Array> {
  const mailbox = port.inbox.open();
  const peer = port.peerOf(definition.service);
  const startedMs = performance.now();
  const giveUpMs = startedMs + (definition.mode === 'read' ? readWithinMs : (context.waitMs ?? resolveWithinMs));
  const about = { port, definition, payload, context, mailbox, peer };
  const call: Call = { ...about, startedMs, giveUpMs, handedOver: false, tries: 0 };
  try {
    while (true) {
      const outcome = await attempt(call);
      if (outcome.kind === 'answered' && settles(call, outcome.message)) return unwrap(outcome.message);
      await beforeNextTry(call, outcome.kind);
    }
  } finally {
    mailbox.close();
  }
}

type TryResult = { kind: 'answered'; message: Msg } | { kind: 'unreached' } | { kind: 'silent' } | { kind: 'lost' };

/** The callee itself may not know whether it took effect (its database died in the commit). */
function settles(call: Call, message: Msg): boolean {
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
  const { definition, port, startedMs } = call;
  if (last !== 'unreached') call.handedOver = true;
  const command = definition.mode === 'command' && call.handedOver;
  const spentMs = performance.now() - startedMs;
  const outOfTime = leftMs(call) < pauseMs;
  if (command) {
    if (outOfTime) throw outcomeUnknown();
    if (last !== 'silent') await sleep(pauseMs);
    return;
  }
  const { nats } = port;
  const settling = spentMs < reachWithinMs && (!nats.connected() || nats.sinceChangeMs() < settlingMs);
  // A busy service is told to its caller: asking again would keep it busy.
  if (outOfTime || last === 'answered' || (last === 'unreached' && !settling)) throw unavailable(definition);
  if (last === 'unreached') await sleep(settlingPauseMs);
}

function leftMs({ giveUpMs, context, port }: Call): number {
  const deadlineMs = Math.min(context.deadlineMs ?? Number.POSITIVE_INFINITY, port.closesAtMs);
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
  const { port, definition, context, mailbox } = call;
  if (!(await port.nats.whenConnected(reachWithinMs))) return { kind: 'unreached' };
  if (definition.mode === 'command' && !call.handedOver) {
    const found = await findAlive(call);
    if (found !== 'alive') return { kind: 'unreached' };
  }
  await port.endOfTurn();
  // What is published on a lost connection reaches nobody, and would count as handed over.
  if (!port.nats.connected()) return { kind: 'unreached' };
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
    port.nats.connection.publish(definition.subject, call.payload, { headers, reply: mailbox.subject });
  } catch {
    // The connection is closed.
    return { kind: 'unreached' };
  }
  call.tries += 1;
  return await outcomeOf(call, tryEndMs);
}

/**
 * A command is not given to a service that hangs: nobody could say what became of it. What was not handed over had no
 * effect, and its caller may be told so within a second.
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

/** Reads what arrives until one try is decided; an answer to any earlier try counts as well. */
async function outcomeOf(call: Call, tryEndMs: number): Promise<TryResult> {
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
    if (!isWorking(reply)) return { kind: 'answered', message: reply };
    // At work for as long as a try may take: perhaps it hangs in its database; ask again under the same command id.
    if (performance.now() >= tryEndMs) return { kind: 'lost' };
  }
}

/** Signs lay unread until a moment ago: asking once more would only add to what lies there. */
function isBehind(call: Call, tryEndMs: number): boolean {
  const inTime = performance.now() < tryEndMs && leftMs(call) > 0;
  return inTime && call.port.inbox.sinceBehindMs() < silenceLimitMs(call);
}

function silenceLimitMs({ peer, definition, tries }: Call): number {
  if (definition.mode === 'read') return peer.down() ? stillDownAfterMs : silentTryMs;
  return tries <= quickTries ? silentTryMs : silentLaterTryMs;
}

/** @throws Error for a read when the whole service has been silent for too long */
function silence(call: Call, tryEndMs: number): TryResult {
  const { peer, port, definition, startedMs } = call;
  if (performance.now() >= tryEndMs) return { kind: 'lost' };
  const silentMs = Math.min(peer.sinceHeardMs(), port.inbox.sinceBehindMs(), performance.now() - startedMs);
  if (definition.mode === 'read' && silentMs >= (peer.down() ? stillDownAfterMs : downAfterMs) - 1) {
    peer.gaveUp();
    throw unavailable(definition);
  }
  // Any replica's answer shows that the service lives, and that the next try is worth making.
  void peer.ping(downAfterMs);
  return { kind: 'silent' };
}

/** The code a callee refused with; empty for an answer. */
const errorOf = (message: Msg): string => message.headers?.get(ServiceErrorHeader) ?? '';

function unwrap(message: Msg): Uint8Array {
  if (errorOf(message) !== '') {
    const { code, detail, errors } = message.json<{ code: unknown; detail: string; errors: FieldError[] }>();
    throw new DomainError(isErrorCode(code) ? code : 'internal', detail, errors);
  }
  return message.data;
}
