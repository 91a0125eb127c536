import type { FastifyReply, FastifyRequest } from 'fastify';
import { problemDocument, problemType } from '../problems/problem-document.ts';
import { RetryLaterError } from '../problems/retry-later-error.ts';
import { toDomainError } from '../problems/to-domain-error.ts';
import { baseUrlOf } from './base-url.ts';
import type { EdgeConfig } from './edge-config.ts';

/** Responds with the problem document of whatever was thrown. */
export function sendProblem(config: EdgeConfig, err: unknown, req: FastifyRequest, reply: FastifyReply): void {
  const error = toDomainError(err);
  req.failure = { error, cause: err };
  const { status, body } = problemDocument(error, baseUrlOf(config, req.socket), req.id);
  // Set here too: where a request could not even be routed, no hook has run.
  reply.code(status).header('content-type', problemType).header('x-request-id', req.id);
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  if (error instanceof RetryLaterError) reply.header('retry-after', error.retryAfterSeconds);
  else if (status === 503) reply.header('retry-after', 1);
  reply.send(body);
}
