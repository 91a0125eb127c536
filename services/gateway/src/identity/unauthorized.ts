import { DomainError } from '@app/contracts/errors';

/** One text for every reason, so that no caller learns which keys exist. */
export function unauthorized(): DomainError {
  return new DomainError('unauthorized', 'Send a valid API key: Authorization: Bearer <key>.');
}

/** For a valid key that is sent where only a session will do. */
export function loginRequired(): DomainError {
  return new DomainError(
    'insufficient_scope',
    'This needs a session of a user who is logged in: API keys may not do it.',
  );
}
