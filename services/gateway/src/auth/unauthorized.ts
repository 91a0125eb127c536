import { DomainError } from '@app/contracts/errors';

/** One text for every reason, so that nobody learns which keys exist. */
export function unauthorized(): DomainError {
  return new DomainError('unauthorized', 'Send a valid API key: Authorization: Bearer <key>.');
}
