import { DomainError } from '@app/contracts/errors';

/** The same words for every id, malformed ones included. */
export function unknownEndpoint(): DomainError {
  return new DomainError('webhook_endpoint_not_found', 'No webhook endpoint has this id.');
}

export function noPrimaryEndpoint(): DomainError {
  return new DomainError('webhook_endpoint_not_found', 'This account has no primary webhook URL.');
}
