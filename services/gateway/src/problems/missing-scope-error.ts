import type { ApiKeyScope } from '@app/contracts/accounts';
import { DomainError } from '@app/contracts/errors';

/** A key lacks a scope, which the response names for programs too. */
export class MissingScopeError extends DomainError {
  readonly scope: ApiKeyScope;

  constructor(scope: ApiKeyScope) {
    super('insufficient_scope', `The API key needs the scope ${scope}: use a key that has it.`);
    this.scope = scope;
  }
}
