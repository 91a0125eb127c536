import { type DomainError, errorCodes } from '@app/contracts/errors';
import type { Logger } from '@app/service-kit/logger';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { requestEnded } from '../points/points.ts';
import { type CalledOperation, namedCall } from './called-operation.ts';
import { shownPath } from './shown-path.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null while nothing has failed. */
    failure: RequestFailure | null;
    /** Null while it has called no operation. */
    called: CalledOperation | null;
  }
}

export interface RequestFailure {
  /** What the caller sees. */
  readonly error: DomainError;
  /** What was thrown: the error itself, or what it stands for. */
  readonly cause: unknown;
}

/** Keeps the operation that a request calls, for the request's line. */
export function noteCall(req: FastifyRequest, call: CalledOperation): void {
  req.called = namedCall(req.called, call);
}

/**
 * One line for each request: who called what, about what, and how it ended; a warning when it failed through no fault of its caller, with the
 * code and the cause.
 */
export function logRequests(server: FastifyInstance, logger: Logger): void {
  server.decorateRequest('failure', null);
  server.decorateRequest('called', null);
  // The fields are fixed and hold no secret. Redaction would read each value: a fiftieth of an order's CPU.
  const lines = logger.child({}, { redact: [] });
  server.addHook('onResponse', (req, reply, done) => {
    const { failure, called } = req;
    const line = {
      method: req.method,
      route: req.routeOptions.url ?? shownPath(req.url),
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      operation: called?.id,
      about: called?.about,
      outcome: failure?.error.code ?? called?.outcome ?? (reply.statusCode < 400 ? 'ok' : undefined),
      accountId: called?.accountId ?? (req.actor?.accountId || undefined),
      requestId: req.id,
      traceId: traceIdOf(req),
    };
    if (!isServerError(failure, reply)) lines.info(line, 'request');
    else {
      const details = { ...line, ...causeOf(failure) };
      if (failure?.error.code === 'internal') logger.error(details, 'request failed');
      else logger.warn(details, 'request failed');
    }
    requestEnded.announce(() => ({ requestId: req.id, status: reply.statusCode }));
    done();
  });
}

/** The failure of an MCP tool has the status 200 in HTTP: its error code says what it is. */
function isServerError(failure: RequestFailure | null, reply: FastifyReply): boolean {
  return reply.statusCode >= 500 || (failure !== null && errorCodes[failure.error.code].status >= 500);
}

function causeOf(failure: RequestFailure | null): object {
  if (failure === null) return {};
  const { error, cause } = failure;
  const { code, message } = error;
  return cause === error ? { code, cause: message } : { code, err: cause };
}

function traceIdOf(req: FastifyRequest): string | undefined {
  if (req.span !== undefined) return req.span.span.spanContext().traceId;
  return /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(String(req.headers.traceparent))?.[1];
}
