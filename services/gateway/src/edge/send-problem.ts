import type { DomainError } from '@app/contracts/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { MissingScopeError } from '../problems/missing-scope-error.ts';
import { problemDocument, problemType } from '../problems/problem-document.ts';
import { toDomainError } from '../problems/to-domain-error.ts';
import { prefersHtml } from './accept.rules.ts';
import { baseUrlOf } from './base-url.ts';
import type { EdgeConfig } from './edge-config.ts';

/** Sends a page with the status that the reply has. */
export type ErrorPage = (error: DomainError, req: FastifyRequest, reply: FastifyReply) => void;

/** The API and MCP speak JSON with browsers as well. */
const isForPeople = ({ url, headers }: FastifyRequest): boolean =>
  prefersHtml(headers.accept) && !/^\/(api|mcp)(\/|\?|$)/.test(url);

/** Responds with the problem document of whatever was thrown, or where people read it with a page. */
export function sendProblem(
  config: EdgeConfig,
  err: unknown,
  req: FastifyRequest,
  reply: FastifyReply,
  errorPage?: ErrorPage,
): void {
  const error = toDomainError(err);
  req.failure = { error, cause: err };
  const { status, body, retryAfterSeconds } = problemDocument(error, baseUrlOf(config, req.socket), req.id);
  // Set here too: where a request could not even be routed, no hook has run.
  reply.code(status).header('x-request-id', req.id);
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  if (error instanceof MissingScopeError) {
    reply.header('www-authenticate', `Bearer error="insufficient_scope", scope="${error.scope}"`);
  }
  if (retryAfterSeconds !== null) reply.header('retry-after', retryAfterSeconds);
  if (errorPage === undefined || !isForPeople(req)) reply.header('content-type', problemType).send(body);
  else errorPage(error, req, reply);
}
