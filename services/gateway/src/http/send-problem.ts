import { DomainError, type ErrorCode } from '@app/contracts/errors';
import { diskFullDetail, isDiskFull, isOutage } from '@app/service-kit/outages';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../app.ts';
import { baseUrlOf } from './addresses.ts';
import { problemOf, problemType } from './problem.ts';
import { TemporaryRefusal } from './temporary-refusal.ts';

/** Answers with the problem document of whatever was thrown. */
export function sendProblem(app: App, err: unknown, req: FastifyRequest, reply: FastifyReply): void {
  const refusal = refusalOf(err);
  req.refused = { refusal, err };
  const { status, body } = problemOf(refusal, baseUrlOf(app.config, req.socket), req.id);
  // Set here too: where a request could not even be routed, no hook has run.
  reply.code(status).header('content-type', problemType).header('x-request-id', req.id);
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  if (refusal instanceof TemporaryRefusal) reply.header('retry-after', refusal.retryAfterSeconds);
  else if (status === 503) reply.header('retry-after', 1);
  reply.send(body);
}

/** Fastify's own refusals in our words. */
const fastifyCodes: Record<string, [ErrorCode, string]> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'Send JSON, with Content-Type: application/json.'],
  FST_ERR_CTP_BODY_TOO_LARGE: ['payload_too_large', 'A body may have 256 KB.'],
  FST_ERR_CTP_INVALID_JSON_BODY: ['malformed_json', 'The body is not valid JSON.'],
  FST_ERR_MAX_PARAM_LENGTH: ['not_found', 'There is nothing at this address.'],
  FST_ERR_BAD_URL: ['malformed_request', 'The path is not validly encoded.'],
};

/** Whatever was thrown, as a refusal in our words. */
export function refusalOf(err: unknown): DomainError {
  if (err instanceof DomainError) {
    // What a service did not foresee is told in no more words than what we did not.
    return err.code === 'internal' ? internal() : err;
  }
  const { code = '', statusCode = 500 } = err as { code?: string; statusCode?: number };
  const known = fastifyCodes[code];
  if (known !== undefined) return new DomainError(...known);
  if (err instanceof SyntaxError && statusCode === 400)
    return new DomainError('malformed_json', 'The body is not valid JSON.');
  if (statusCode >= 400 && statusCode < 500) return new DomainError('malformed_request', 'The request is malformed.');
  if (isDiskFull(err)) return new DomainError('service_unavailable', diskFullDetail);
  if (isOutage(err))
    return new DomainError('service_unavailable', 'The gateway’s database does not answer; try again shortly.');
  return internal();
}

function internal(): DomainError {
  return new DomainError(
    'internal',
    'Something went wrong on our side. Tell us the request id and we can find out what.',
  );
}
