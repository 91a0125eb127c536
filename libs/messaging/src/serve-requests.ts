import type { RequestDefinition, RequestInput, RequestOutput } from '@app/contracts/define';
import { DomainError, errorCodes } from '@app/contracts/errors';
import { parseInput } from '@app/contracts/validation';
import type { Logger } from '@app/service-kit/logger';
import { type RecordSeconds, secondsHistogram, timed } from '@app/service-kit/metrics';
import { diskFullDetail, isDiskFull, isOutage, isUnreached } from '@app/service-kit/outages';
import { currentTraceparent, inSpan } from '@app/service-kit/tracing';
import { type ServiceMsg, Svcm } from '@nats-io/services';
import { SpanKind } from '@opentelemetry/api';
import type { NatsClient } from './connect.ts';
import { requestBegun } from './points.ts';
import { pingSubject, type RequestContext, readContext, workingHeaders } from './request-headers.ts';
import { createRunningRequests, type RunningRequests } from './running-requests.ts';
import { requestSpan } from './spans.ts';
import { type StallWatch, watchStalls } from './stall-watch.ts';

export interface RequestHandler {
  readonly definition: RequestDefinition;
  readonly acrossAccounts: boolean;
  readonly handle: (input: never, context: RequestContext) => Promise<unknown>;
}

/** Handles a request on behalf of one account: without an account in its context it is refused. */
export function onRequest<R extends RequestDefinition>(
  definition: R,
  handle: (input: RequestInput<R>, context: RequestContext) => Promise<RequestOutput<R> | Serialized>,
): RequestHandler {
  return { definition, acrossAccounts: false, handle };
}

/** Handles a request between services that is no single account's. */
export function onRequestAcrossAccounts<R extends RequestDefinition>(
  definition: R,
  handle: (input: RequestInput<R>, context: RequestContext) => Promise<RequestOutput<R> | Serialized>,
): RequestHandler {
  return { definition, acrossAccounts: true, handle };
}

/** An output that is JSON already (a list built by one statement, say): sent as it is. */
export class Serialized {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }
}

/** How long a service that closes lets requests under way finish; whoever stops its process waits ten seconds. */
const finishWithinMs = 4_000;

interface RequestServer {
  readonly logger: Logger;
  readonly running: RunningRequests;
  readonly stalls: StallWatch;
  readonly duration: RecordSeconds | undefined;
  /** A request failed with what is no error of the domain. */
  readonly failed: (entry: RequestHandler, context: RequestContext, err: unknown) => void;
  /** A request came too late to be begun. */
  readonly late: (subject: string) => void;
}

/** Registers request handlers with the NATS services framework: discovery, statistics, one queue group for all replicas. */
export async function serveRequests(
  nats: NatsClient,
  options: { version: string; description: string; handlers: readonly RequestHandler[]; logger: Logger },
): Promise<{ close(): Promise<void> }> {
  const { logger } = options;
  const service = await new Svcm(nats.connection).add({
    name: nats.service,
    version: options.version,
    description: options.description,
    queue: nats.service,
  });
  // In no queue group: the requester wants a reply from any replica.
  const pings = nats.connection.subscribe(pingSubject(nats.service), {
    callback: (err, message) => {
      if (err === null) message.respond('{}');
    },
  });
  const duration = secondsHistogram(nats.service, {
    name: 'messaging.process.duration',
    description: 'Of requests that this replica answered.',
  });
  const server: RequestServer = {
    logger,
    duration,
    running: createRunningRequests(),
    stalls: watchStalls(),
    failed: logFailures(logger),
    late: logLate(logger),
  };
  for (const entry of options.handlers) {
    service.addEndpoint(entry.definition.name.replaceAll('.', '-'), {
      subject: entry.definition.subject,
      handler: (err, message) => {
        if (err === null) handleMessage(entry, message, server);
      },
    });
  }
  let closing = false;
  // It stops by itself when one of its subscriptions ends, as when the server forbids a subject.
  void service.stopped.then((err) => {
    if (closing || nats.connection.isClosed()) return;
    logger.error({ err }, 'requests are served no longer; this process must be replaced');
    nats.giveUp('requests are served no longer');
  });
  await nats.connection.flush();
  return {
    close: async () => {
      closing = true;
      if (!nats.connection.isClosed() && nats.connected()) {
        pings.unsubscribe();
        await service.stop();
      }
      // No new ones come; those under way still need NATS and the database.
      await server.running.finish(finishWithinMs);
      server.stalls.close();
    },
  };
}

function handleMessage(entry: RequestHandler, message: ServiceMsg, server: RequestServer): void {
  const context = readContext(message.headers, Date.now() - server.stalls.waitedMs());
  // Nobody waits for it any more: a command not begun now is a command that never took effect.
  if (Date.now() >= context.deadlineMs) {
    server.late(entry.definition.subject);
    return;
  }
  const refuse = (code: FaultCode): void => respondFault(message, code);
  const { subject } = entry.definition;
  const { accountId, commandId } = context;
  requestBegun.announce(() => ({ service: entry.definition.service, subject, accountId, commandId }));
  const request = server.running.begin({
    // A command cut off here may have been committed: its caller repeats it, and reaches another replica.
    cutOff: () => refuse(entry.definition.mode === 'read' ? 'service_unavailable' : 'outcome_unknown'),
    working: () => void message.respond('', { headers: workingHeaders() }),
  });
  const { logger } = server;
  replyOf(entry, message, context, server.duration)
    .then(
      (json) => request.end(() => message.respond(json)),
      (err: unknown) => request.end(() => respondError(message, entry, context, err, server)),
    )
    // The connection is closed, or the reply is larger than nats-server takes; the caller repeats the request.
    .catch((err: unknown) => logger.error({ err, subject: entry.definition.subject }, 'an answer could not be sent'));
}

async function replyOf(
  entry: RequestHandler,
  message: ServiceMsg,
  context: RequestContext,
  duration: RecordSeconds | undefined,
): Promise<string> {
  const { name, attributes } = requestSpan('process', entry.definition.subject);
  const service = entry.definition.service;
  const span = { service, kind: SpanKind.SERVER, attributes, parent: context.traceparent ?? null };
  const work = () => run(entry, message, { ...context, traceparent: currentTraceparent() ?? context.traceparent });
  const output = await timed(duration, attributes, () => inSpan(name, span, work));
  return output instanceof Serialized ? output.json : JSON.stringify(output);
}

const logLateEveryMs = 10_000;

/** After a stall they are thousands. */
function logLate(logger: Logger): (subject: string) => void {
  const atTimes = countedAtMostEvery(logLateEveryMs);
  return (subject) =>
    atTimes((requests) =>
      logger.warn({ subject, requests }, 'requests came after their callers had stopped waiting; not begun'),
    );
}

/** Returns a call that logs one line for all requests of a period: `log` gets how many they were. */
function countedAtMostEvery(everyMs: number): (log: (requests: number) => void) => void {
  let requests = 0;
  let loggedMs = Number.NEGATIVE_INFINITY;
  return (log) => {
    requests += 1;
    if (performance.now() - loggedMs < everyMs) return;
    loggedMs = performance.now();
    log(requests);
    requests = 0;
  };
}

function run(entry: RequestHandler, message: ServiceMsg, context: RequestContext): Promise<unknown> {
  if (!entry.acrossAccounts && context.accountId === '')
    throw new Error(`${entry.definition.subject} was asked without an account`);
  if (entry.definition.mode === 'command' && context.commandId === '') {
    throw new Error(`${entry.definition.subject} was sent without a command id`);
  }
  return entry.handle(parseInput(entry.definition.input, message.json()) as never, context);
}

function respondError(
  message: ServiceMsg,
  entry: RequestHandler,
  context: RequestContext,
  err: unknown,
  { failed }: RequestServer,
): void {
  if (err instanceof DomainError) {
    const body = JSON.stringify({ code: err.code, detail: err.message, errors: err.errors });
    message.respondError(errorCodes[err.code].status, err.code, body);
    return;
  }
  failed(entry, context, err);
  const code = faultCode(entry, err);
  respondFault(message, code, isDiskFull(err) ? diskFullDetail : faultDetails[code]);
}

const logOutageEveryMs = 1_000;

/** An outage meets every request: it is logged once a second, with how many there were. */
function logFailures(logger: Logger): RequestServer['failed'] {
  const atTimes = countedAtMostEvery(logOutageEveryMs);
  return ({ definition }, { accountId, requestId }, err) => {
    const failure = { err, subject: definition.subject, accountId, requestId };
    if (!isOutage(err)) logger.error(failure, 'request failed');
    else {
      atTimes((requests) =>
        logger.warn({ ...failure, requests }, 'requests failed: a database or another service does not answer'),
      );
    }
  };
}

const faultDetails = {
  internal: '',
  service_unavailable: 'A database or a neighbour does not answer; try again shortly.',
  outcome_unknown: 'A database did not answer.',
} as const;

type FaultCode = keyof typeof faultDetails;

function respondFault(message: ServiceMsg, code: FaultCode, detail: string = faultDetails[code]): void {
  message.respondError(errorCodes[code].status, code, JSON.stringify({ code, detail, errors: [] }));
}

/** A command cut off in its transaction may have been committed: its requester must repeat it, not conclude. */
function faultCode(entry: RequestHandler, err: unknown): FaultCode {
  if (!isOutage(err)) return 'internal';
  return entry.definition.mode === 'read' || isUnreached(err) || isDiskFull(err)
    ? 'service_unavailable'
    : 'outcome_unknown';
}
