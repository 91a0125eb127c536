import type { RequestDefinition, RequestInput, RequestOutput } from '@app/contracts/define';
import { DomainError, errorCodes } from '@app/contracts/errors';
import { parseInput } from '@app/contracts/validation';
import type { Logger } from '@app/service-kit/logger';
import { currentTraceparent, inSpan } from '@app/service-kit/tracing';
import { type ServiceMsg, Svcm } from '@nats-io/services';
import { SpanKind } from '@opentelemetry/api';
import type { NatsLink } from './connect.ts';
import { type RequestContext, readContext } from './request-headers.ts';
import { isOutage, isUnreached } from './retry-policy.ts';
import { requestSpan } from './spans.ts';

export interface Answer {
  readonly definition: RequestDefinition;
  readonly acrossAccounts: boolean;
  readonly handle: (input: never, context: RequestContext) => Promise<unknown>;
}

/** Answers a request on behalf of one account: without an account in its context it is refused. */
export function answer<R extends RequestDefinition>(
  definition: R,
  handle: (input: RequestInput<R>, context: RequestContext) => Promise<RequestOutput<R> | Serialized>,
): Answer {
  return { definition, acrossAccounts: false, handle };
}

/** Answers a question between services that no single account asks. */
export function answerAcrossAccounts<R extends RequestDefinition>(
  definition: R,
  handle: (input: RequestInput<R>, context: RequestContext) => Promise<RequestOutput<R> | Serialized>,
): Answer {
  return { definition, acrossAccounts: true, handle };
}

/** An output that is JSON already (a list built by one statement, say): sent as it is. */
export class Serialized {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }
}

/** Registers the answers with the NATS services framework: discovery, statistics, one queue group for all replicas. */
export async function serveRequests(
  link: NatsLink,
  options: { version: string; description: string; answers: readonly Answer[]; logger: Logger },
): Promise<{ close(): Promise<void> }> {
  const service = await new Svcm(link.connection).add({
    name: link.service,
    version: options.version,
    description: options.description,
    queue: link.service,
  });
  const running = new Set<Promise<void>>();
  for (const entry of options.answers) {
    service.addEndpoint(entry.definition.name.replaceAll('.', '-'), {
      subject: entry.definition.subject,
      handler: (err, message) => {
        if (err !== null) return;
        const handled = handleMessage(link.service, entry, message, options.logger).finally(() =>
          running.delete(handled),
        );
        running.add(handled);
      },
    });
  }
  await link.connection.flush();
  return {
    close: async () => {
      if (!link.connection.isClosed() && link.connected()) await service.stop();
      // No new ones come; those under way still need NATS and the database.
      await Promise.all(running);
    },
  };
}

async function handleMessage(service: string, entry: Answer, message: ServiceMsg, logger: Logger): Promise<void> {
  const context = readContext(message.headers);
  // Nobody waits for it any more: a command not begun now is a command that never took effect.
  if (Date.now() > context.deadlineMs) return;
  try {
    const { name, attributes } = requestSpan('process', entry.definition.subject);
    const span = { service, kind: SpanKind.SERVER, attributes, parent: context.traceparent ?? null };
    const output = await inSpan(name, span, () =>
      run(entry, message, { ...context, traceparent: currentTraceparent() ?? context.traceparent }),
    );
    message.respond(output instanceof Serialized ? output.json : JSON.stringify(output));
  } catch (err) {
    respondFault(message, entry, context, err, logger);
  }
}

function run(entry: Answer, message: ServiceMsg, context: RequestContext): Promise<unknown> {
  if (!entry.acrossAccounts && context.accountId === '')
    throw new Error(`${entry.definition.subject} was asked without an account`);
  if (entry.definition.mode === 'command' && context.commandId === '') {
    throw new Error(`${entry.definition.subject} was sent without a command id`);
  }
  return entry.handle(parseInput(entry.definition.input, message.json()) as never, context);
}

function respondFault(message: ServiceMsg, entry: Answer, context: RequestContext, err: unknown, logger: Logger): void {
  if (err instanceof DomainError) {
    const body = JSON.stringify({ code: err.code, detail: err.message, errors: err.errors });
    message.respondError(errorCodes[err.code].status, err.code, body);
    return;
  }
  const { accountId, requestId } = context;
  logger.error({ err, subject: entry.definition.subject, accountId, requestId }, 'request failed');
  const code = faultCode(entry, err);
  message.respondError(errorCodes[code].status, code, JSON.stringify({ code, detail: faultDetails[code], errors: [] }));
}

const faultDetails = {
  internal: '',
  service_unavailable: 'A database or a neighbour does not answer; try again shortly.',
  outcome_unknown: 'A database did not answer.',
} as const;

/** A command cut off in its transaction may have been committed: its requester must ask again, not conclude. */
function faultCode(entry: Answer, err: unknown): keyof typeof faultDetails {
  if (!isOutage(err)) return 'internal';
  return entry.definition.mode === 'read' || isUnreached(err) ? 'service_unavailable' : 'outcome_unknown';
}
