import type { RequestDefinition, RequestInput, RequestOutput } from '@app/contracts/define';
import { DomainError, type ErrorCode, errorCodes, type FieldError } from '@app/contracts/errors';
import { parseInput } from '@app/contracts/validation';
import type { Logger } from '@app/service-kit/logger';
import { type RecordSeconds, secondsHistogram, timed } from '@app/service-kit/metrics';
import { diskFullDetail, isDiskFull, isOutage, isUnreached } from '@app/service-kit/outages';
import { currentTraceparent, inSpan } from '@app/service-kit/tracing';
import { type ServiceMsg, Svcm } from '@nats-io/services';
import { SpanKind } from '@opentelemetry/api';
import type { NatsClient } from './connect.ts';
import { isInboxFor } from './names.ts';
import { requestBegun, requestDropped, requestLate } from './points.ts';
import { type ProcessPauses, watchPauses } from './process-pauses.ts';
import { isLate, presenceName, type RequestContext, readContext } from './request-headers.ts';
import { createRunningRequests, type RunningRequests } from './running-requests.ts';
import { requestSpan } from './spans.ts';

export interface RequestHandler {
  readonly definition: RequestDefinition;
  readonly acrossAccounts: boolean;
  readonly handle: (input: never, context: RequestContext) => Promise<unknown>;
}

type Handle<R extends RequestDefinition> = (
  input: RequestInput<R>,
  context: RequestContext,
) => Promise<RequestOutput<R> | Serialized>;

/** Handles a request on behalf of one account: without an account in its context it is refused. */
export function onRequest<R extends RequestDefinition>(definition: R, handle: Handle<R>): RequestHandler {
  return { definition, acrossAccounts: false, handle };
}

/** Handles a request between services that is no single account's. */
export function onRequestAcrossAccounts<R extends RequestDefinition>(definition: R, handle: Handle<R>): RequestHandler {
  return { definition, acrossAccounts: true, handle };
}

/** An output that is JSON already (a list built by one statement, say): sent as it is. */
export class Serialized {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }
}

interface ServeOptions {
  readonly version: string;
  readonly description: string;
  readonly handlers: readonly RequestHandler[];
  readonly logger: Logger;
  /** Why no command is done now; undefined where commands are done. */
  readonly commandRefusal?: () => string | undefined;
}

/** How long a service that closes lets requests under way finish; a supervisor waits ten seconds before it kills. */
const finishWithinMs = 4_000;

interface RequestServer {
  readonly logger: Logger;
  readonly running: RunningRequests;
  readonly pauses: ProcessPauses;
  readonly commandRefusal: ServeOptions['commandRefusal'];
  readonly duration: RecordSeconds | undefined;
  /** A request failed with what is no error of the domain. */
  readonly failed: (entry: RequestHandler, context: RequestContext, err: unknown) => void;
}

/** Registers request handlers with the NATS services framework: discovery, statistics, one queue group for all replicas. */
export async function serveRequests(nats: NatsClient, options: ServeOptions): Promise<{ close(): Promise<void> }> {
  const { logger } = options;
  const service = await new Svcm(nats.connection).add({
    name: nats.service,
    version: options.version,
    description: options.description,
    queue: nats.service,
  });
  const server: RequestServer = {
    logger,
    running: createRunningRequests(),
    pauses: watchPauses(nats, logger),
    commandRefusal: options.commandRefusal,
    failed: logFailures(logger),
    duration: secondsHistogram(nats.service, {
      name: 'messaging.process.duration',
      description: 'Of requests that this replica answered.',
    }),
  };
  for (const entry of options.handlers) {
    service.addEndpoint(entry.definition.name.replaceAll('.', '-'), {
      subject: entry.definition.subject,
      handler: (err, message) => {
        if (err === null && isRequest(entry, message)) handleMessage(entry, message, server);
      },
    });
  }
  service.addEndpoint(presenceName, {
    subject: `svc.${nats.service}.${presenceName}`,
    handler: (err, message) => {
      if (err === null && isInboxFor(nats.service, message.reply)) message.respond('{}');
    },
  });
  let closing = false;
  // It stops by itself when one of its subscriptions ends, as when the server forbids a subject.
  void service.stopped.then((err) => {
    if (closing || nats.connection.isClosed()) return;
    logger.error({ err }, 'requests are no longer served; restart this process');
    nats.giveUp('requests are no longer served');
  });
  await subscribed(nats);
  return {
    close: async () => {
      closing = true;
      if (!nats.connection.isClosed() && nats.connected()) await service.stop();
      // No new ones come; those under way still need NATS and the database.
      await server.running.finish(finishWithinMs);
      server.pauses.close();
    },
  };
}

/**
 * Resolves once the server has the subscriptions. One that is lost meanwhile gets them with the next connection: at the start of all services at
 * once on a small machine, none is scheduled for so long that the server takes it for gone.
 * @throws Error when only a new process can go on
 */
async function subscribed(nats: NatsClient): Promise<void> {
  while (true) {
    try {
      return await nats.connection.flush();
    } catch {
      nats.checkOpen();
    }
  }
}

/**
 * What nats-server publishes for somebody keeps its own subject (an event that was pulled), or has no reply (an
 * acknowledgement of a stream): such a message is nobody’s request, nor is one whose reply goes elsewhere than to its requester.
 */
const isRequest = ({ definition }: RequestHandler, { subject, reply }: ServiceMsg): boolean =>
  subject === definition.subject && isInboxFor(definition.service, reply);

function handleMessage(entry: RequestHandler, message: ServiceMsg, server: RequestServer): void {
  const { service, subject, mode } = entry.definition;
  const context = readContext(message.headers, server.pauses.maxAgeMs());
  const { accountId, commandId } = context;
  // A caller that waits still repeats it.
  if (isLate(context)) {
    requestLate.announce(() => ({ service, subject, commandId }));
    return;
  }
  const request = server.running.begin(message.reply ?? '', () =>
    // A command cut off here may have been committed: its caller repeats it, and reaches another replica.
    respondFault(message, mode === 'read' ? 'service_unavailable' : 'outcome_unknown'),
  );
  if (request === undefined) {
    requestDropped.announce(() => ({ service, subject, commandId }));
    return;
  }
  requestBegun.announce(() => ({ service, subject, accountId, commandId }));
  replyOf(entry, message, context, server)
    .then(
      (json) => request.end(() => message.respond(json)),
      (err: unknown) => request.end(() => respondError(message, entry, context, err, server)),
    )
    // The connection is closed, or the reply is larger than nats-server takes; the caller repeats the request.
    .catch((err: unknown) => server.logger.error({ err, subject }, 'an answer could not be sent'));
}

async function replyOf(
  entry: RequestHandler,
  message: ServiceMsg,
  context: RequestContext,
  { duration, commandRefusal }: RequestServer,
): Promise<string> {
  const { service, subject } = entry.definition;
  const { name, attributes } = requestSpan('process', subject);
  const span = { service, kind: SpanKind.SERVER, attributes, parent: context.traceparent ?? null };
  const refusal = entry.definition.mode === 'command' ? commandRefusal?.() : undefined;
  if (refusal !== undefined) throw new DomainError('service_unavailable', refusal);
  const work = () => run(entry, message, { ...context, traceparent: currentTraceparent() ?? context.traceparent });
  const output = await timed(duration, attributes, () => inSpan(name, span, work));
  return output instanceof Serialized ? output.json : JSON.stringify(output);
}

function run(entry: RequestHandler, message: ServiceMsg, context: RequestContext): Promise<unknown> {
  if (!entry.acrossAccounts && context.accountId === '')
    throw new Error(`${entry.definition.subject} needs an account: the request has none`);
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
  if (err instanceof DomainError) respondCode(message, err.code, err.message, err.errors);
  else {
    failed(entry, context, err);
    const code = faultCode(entry, err);
    respondFault(message, code, isDiskFull(err) ? diskFullDetail : faultDetails[code]);
  }
}

const logOutageEveryMs = 1_000;

/** An outage meets every request: it is logged once a second, with how many there were. */
function logFailures(logger: Logger): RequestServer['failed'] {
  let requests = 0;
  let loggedMs = Number.NEGATIVE_INFINITY;
  return ({ definition }, { accountId, requestId }, err) => {
    const failure = { err, subject: definition.subject, accountId, requestId };
    if (!isOutage(err)) return logger.error(failure, 'request failed');
    requests += 1;
    if (performance.now() - loggedMs < logOutageEveryMs) return;
    loggedMs = performance.now();
    logger.warn({ ...failure, requests }, 'requests failed: a database or another service does not answer');
    requests = 0;
  };
}

const faultDetails = {
  internal: '',
  service_unavailable: 'A database or another service does not answer: repeat the request in a few seconds.',
  outcome_unknown: 'A database did not answer.',
} as const;

type FaultCode = keyof typeof faultDetails;

const respondFault = (message: ServiceMsg, code: FaultCode, detail: string = faultDetails[code]): void =>
  respondCode(message, code, detail, []);

function respondCode(message: ServiceMsg, code: ErrorCode, detail: string, errors: readonly FieldError[]): void {
  message.respondError(errorCodes[code].status, code, JSON.stringify({ code, detail, errors }));
}

/** A command cut off in its transaction may have been committed: its requester must repeat it, not conclude. */
function faultCode(entry: RequestHandler, err: unknown): FaultCode {
  if (!isOutage(err)) return 'internal';
  return entry.definition.mode === 'read' || isUnreached(err) || isDiskFull(err)
    ? 'service_unavailable'
    : 'outcome_unknown';
}
