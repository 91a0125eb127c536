import { DomainError } from '@app/contracts/errors';

/**
 * Requires room for one more, so that a list without paging fits one message. Callers that count within a product have
 * locked its row. Two products created at the same moment may exceed the account's limit by one; the limit allows for
 * that.
 * @throws DomainError limit_reached
 */
export function requireRoom(count: number, max: number, what: string): void {
  if (count >= max) throw new DomainError('limit_reached', `The limit of ${max} ${what} is reached.`);
}
