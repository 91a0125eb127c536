import { type DomainError, errorCodes } from '@app/contracts/errors';
import { html } from '@app/pages/html';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RetryLaterError } from '../../problems/retry-later-error.ts';
import { toDomainError } from '../../problems/to-domain-error.ts';
import { noticePage } from './layout.ts';

/** The content-security-policy that every hosted page begins with. */
export const nothing = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'";
/** No script; a form to itself. */
const noticePolicy = `${nothing}; form-action 'self'`;

/**
 * A page that shows no secret: browsers keep it and ask whether it has changed, so that going back is instant.
 * @param policy content-security-policy; without one a page has no script, and a form to itself
 */
export function sendPage(reply: FastifyReply, status: number, page: string, policy = noticePolicy): FastifyReply {
  return send(reply.code(status).header('cache-control', 'private, no-cache'), page, policy);
}

function send(reply: FastifyReply, page: string, policy: string): FastifyReply {
  return reply.header('content-security-policy', policy).type('text/html; charset=utf-8').send(page);
}

/** Buyers read a page, not a problem document, whatever their mail program or browser says that it takes. */
export function sendFailure(err: unknown, req: FastifyRequest, reply: FastifyReply): FastifyReply {
  const error = toDomainError(err);
  req.failure = { error, cause: err };
  if (err instanceof RetryLaterError) reply.header('retry-after', err.retryAfterSeconds);
  return sendErrorPage(error, req, reply);
}

export function sendErrorPage(error: DomainError, req: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status } = errorCodes[error.code];
  const text = error.code === 'payload_too_large' ? 'Nothing needs to be sent beside the address.' : error.message;
  const mayWorkLater = status >= 500 || status === 429;
  const page = noticePage(status === 404 ? 'There is nothing here' : 'That did not work', [
    html`<p>${text}${mayWorkLater ? ' Try again in a minute.' : ''}</p>`,
    html`<p class="quiet">Request ${req.id}</p>`,
  ]);
  return send(reply.code(status).header('cache-control', 'no-store'), page, noticePolicy);
}
