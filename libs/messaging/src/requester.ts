import type { RequestDefinition, RequestInput, RequestOutput } from '@app/contracts/define';
import { DomainError, type FieldError, isErrorCode } from '@app/contracts/errors';
import { currentTraceparent, inSpan } from '@app/service-kit/tracing';
import { ServiceErrorHeader } from '@nats-io/services';
import { type Msg, NoRespondersError, RequestError } from '@nats-io/transport-node';
import { SpanKind } from '@opentelemetry/api';
import type { NatsLink } from './connect.ts';
import { writeContext } from './request-headers.ts';
import { requestSpan } from './spans.ts';

/** How long one try waits for its answer. */
const attemptTimeoutMs = 5_000;
/** How long a command whose answer got lost is repeated until its outcome is known. */
const resolveWithinMs = 20_000;
const pauseMs = 100;
/** A NATS server that restarts is back within this; longer, and the caller is told to come again. */
const reconnectGraceMs = 700;

export interface CallContext {
  readonly accountId: string;
  readonly requestId: string;
  /** Required for commands: the id that makes repeating them harmless. */
  readonly commandId?: string;
  /** Given when this serves a request with a deadline of its own: nobody waits for longer than that. */
  readonly deadlineMs?: number;
}

export interface Requester {
  /** Asks and parses the answer. Throws the callee's `DomainError`, or `service_unavailable` / `outcome_unknown`. */
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
}

export function createRequester(link: NatsLink): Requester {
  const requestBytes: Requester['requestBytes'] = async (definition, input, context) => {
    const ask = () => deliver(link, definition, JSON.stringify(input), context);
    const { name, attributes } = requestSpan('request', definition.subject);
    return await inSpan(name, { service: link.service, kind: SpanKind.CLIENT, attributes }, ask);
  };
  return {
    requestBytes,
    request: async (definition, input, context) => JSON.parse(textOf(await requestBytes(definition, input, context))),
  };
}

const decoder = new TextDecoder();
const textOf = (bytes: Uint8Array): string => decoder.decode(bytes);

/**
 * A request that no service received had no effect: the caller hears `service_unavailable` at once. A command that
 * was handed over and never answered (its service or the server died) may have taken effect: it is repeated under
 * its command id, which makes the callee answer with the first outcome, until that is known.
 */
async function deliver(
  link: NatsLink,
  definition: RequestDefinition,
  payload: string,
  context: CallContext,
): Promise<Uint8Array> {
  const startedMs = Date.now();
  let handedOver = false;
  while (true) {
    const outcome = await attempt(link, definition, payload, context);
    // "Try again" from a later try says nothing of an earlier one that may have taken effect.
    const settled = outcome.kind === 'answered' && !(handedOver && errorOf(outcome.message) === 'service_unavailable');
    if (settled) return unwrap(outcome.message);
    handedOver ||= outcome.kind === 'lost';
    if (!handedOver || definition.mode === 'read') {
      throw new DomainError(
        'service_unavailable',
        `The ${definition.service} service does not answer; try again shortly.`,
      );
    }
    if (Date.now() - startedMs > resolveWithinMs) {
      throw new DomainError(
        'outcome_unknown',
        'The answer was lost. Repeat the request with its Idempotency-Key to learn its outcome.',
      );
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

type Outcome = { kind: 'answered'; message: Msg } | { kind: 'unreached' } | { kind: 'lost' };

async function attempt(
  link: NatsLink,
  definition: RequestDefinition,
  payload: string,
  context: CallContext,
): Promise<Outcome> {
  if (!(await link.whenConnected(reconnectGraceMs))) return { kind: 'unreached' };
  const headers = writeContext({
    accountId: context.accountId,
    requestId: context.requestId,
    commandId: context.commandId ?? '',
    deadlineMs: Math.min(Date.now() + attemptTimeoutMs, context.deadlineMs ?? Number.POSITIVE_INFINITY),
    traceparent: currentTraceparent(),
  });
  return await new Promise<Outcome>((resolve) => {
    const stop = link.onLost(() => settle({ kind: 'lost' }));
    function settle(outcome: Outcome): void {
      stop();
      resolve(outcome);
    }
    link.connection.request(definition.subject, payload, { timeout: attemptTimeoutMs, headers }).then(
      (message) => settle(isUndecided(message) ? { kind: 'lost' } : { kind: 'answered', message }),
      (err: unknown) => settle({ kind: isUnreached(err) ? 'unreached' : 'lost' }),
    );
  });
}

/** The callee itself does not know whether it took effect (its database died in the commit). */
function isUndecided(message: Msg): boolean {
  return errorOf(message) === 'outcome_unknown';
}

/** The code a callee refused with; empty for an answer. */
const errorOf = (message: Msg): string => message.headers?.get(ServiceErrorHeader) ?? '';

function isUnreached(err: unknown): boolean {
  return err instanceof NoRespondersError || (err instanceof RequestError && err.isNoResponders());
}

function unwrap(message: Msg): Uint8Array {
  if (errorOf(message) !== '') {
    const { code, detail, errors } = message.json<{ code: unknown; detail: string; errors: FieldError[] }>();
    throw new DomainError(isErrorCode(code) ? code : 'internal', detail, errors);
  }
  return message.data;
}
