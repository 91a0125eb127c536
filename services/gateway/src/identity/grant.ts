import type { ApiKeyScope } from '@app/contracts/accounts';
import { DomainError } from '@app/contracts/errors';
import type { Actor } from './actors.ts';

/** A caller grants no more than it has: a key that may write must not make one that may move money. */
export function checkMayGrant(actor: Actor, scopes: readonly ApiKeyScope[]): void {
  const beyond = scopes.filter((scope) => !actor.scopes.has(scope));
  if (beyond.length === 0) return;
  throw new DomainError(
    'insufficient_scope',
    `A key can give another key only scopes that it has: this one lacks ${beyond.join(' and ')}.`,
  );
}
