import { type ErrorCode, errorCodes } from '@app/contracts/errors';
import { isForAnyPage, isKeyless, type Operation, takesIdempotencyKey, takesVersion } from '../api/operation.ts';

/** Every error that a caller of this operation can get: its own and those of the gateway. */
export function errorsOf(operation: Operation): ErrorCode[] {
  const { method, auth } = operation;
  const writes = method !== 'GET';
  const hasAccount = auth === 'account' || auth === 'daily';
  const takesKey = takesIdempotencyKey(operation, 'http');
  const applies: [ErrorCode, boolean][] = [
    ['malformed_request', true],
    ['malformed_json', writes],
    ['invalid_idempotency_key', takesKey],
    ['unauthorized', !isKeyless(operation)],
    ['portal_session_ended', auth === 'portal'],
    ['insufficient_scope', hasAccount || auth === 'platform' || auth === 'session'],
    ['cross_site_request', auth !== 'platform' && !isForAnyPage(operation)],
    ['not_acceptable', true],
    ['idempotency_key_in_use', takesKey],
    ['version_changed', takesVersion(operation)],
    ['payload_too_large', writes],
    ['unsupported_media_type', writes],
    // Every operation rejects unknown query parameters.
    ['validation_failed', true],
    ['idempotency_key_reused', takesKey],
    ['rate_limited', true],
    ['idempotency_budget_used', takesKey],
    ['internal', true],
    ['service_unavailable', true],
    ['outcome_unknown', writes],
  ];
  const common = applies.filter(([, yes]) => yes).map(([code]) => code);
  return [...new Set([...common, ...operation.errors])];
}

/** The codes by their HTTP status, in rising order, and those of one as the registry has them. */
export function byStatus(codes: readonly ErrorCode[]): [status: number, codes: ErrorCode[]][] {
  const inOrder = (Object.keys(errorCodes) as ErrorCode[]).filter((code) => codes.includes(code));
  const groups = Map.groupBy(inOrder, (code) => errorCodes[code].status);
  return [...groups].sort(([a], [b]) => a - b);
}
