import { DomainError, type ErrorCode } from '@app/contracts/errors';
import { diskFullDetail, isDiskFull, isOutage } from '@app/service-kit/outages';

/** Fastify's own errors in our codes. */
const fastifyCodes: Record<string, [ErrorCode, string]> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'Send JSON, with Content-Type: application/json.'],
  FST_ERR_CTP_BODY_TOO_LARGE: ['payload_too_large', 'A body may have 256 KB.'],
  FST_ERR_CTP_INVALID_JSON_BODY: ['malformed_json', 'The body is not valid JSON.'],
  FST_ERR_MAX_PARAM_LENGTH: ['not_found', 'No endpoint has this path.'],
  FST_ERR_BAD_URL: ['malformed_request', 'The path is not validly encoded.'],
};

/** The error that a caller sees, for whatever was thrown. */
export function toDomainError(err: unknown): DomainError {
  if (err instanceof DomainError) {
    // The detail of an unexpected error in a service may name internals: callers read our fixed text instead.
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
    return new DomainError(
      'service_unavailable',
      'The gateway’s database does not answer: repeat the request in a few seconds.',
    );
  return internal();
}

function internal(): DomainError {
  return new DomainError('internal', 'The platform failed. Report the request id: its log has the cause.');
}
