import { type DomainError, errorCodes } from '@app/contracts/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../app.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What the caller was refused with, and what was behind it; null while nothing was. */
    refused: Refused | null;
  }
}

export interface Refused {
  readonly refusal: DomainError;
  /** What was thrown; the refusal itself when there is nothing behind it. */
  readonly err: unknown;
}

/** One line for each request: a warning when it failed through no fault of its caller, with the code and the cause. */
export function logRequests(server: FastifyInstance, app: App): void {
  server.decorateRequest('refused', null);
  // Its fields are fixed and hold no secret: to look for one in each value would be a fiftieth of an order's CPU.
  const lines = app.logger.child({}, { redact: [] });
  server.addHook('onResponse', (req, reply, done) => {
    const line = {
      method: req.method,
      route: req.routeOptions.url ?? req.url.slice(0, 200),
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      accountId: req.actor?.accountId,
      requestId: req.id,
    };
    const { refused } = req;
    if (!isFailure(refused, reply)) lines.info(line, 'request');
    else {
      const failure = { ...line, traceId: traceIdOf(req), ...causeOf(refused) };
      if (refused?.refusal.code === 'internal') app.logger.error(failure, 'request failed');
      else app.logger.warn(failure, 'request failed');
    }
    done();
  });
}

/** A tool's refusal travels in an answer of 200. */
function isFailure(refused: Refused | null, reply: FastifyReply): boolean {
  return reply.statusCode >= 500 || (refused !== null && errorCodes[refused.refusal.code].status >= 500);
}

function causeOf(refused: Refused | null): object {
  if (refused === null) return {};
  const { refusal, err } = refused;
  const { code, message } = refusal;
  return err === refusal ? { code, cause: message } : { code, err };
}

function traceIdOf(req: FastifyRequest): string | undefined {
  if (req.span !== undefined) return req.span.span.spanContext().traceId;
  return /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(String(req.headers.traceparent))?.[1];
}
