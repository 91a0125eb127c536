import type { IncomingHttpHeaders } from 'node:http';
import { DomainError } from '@app/contracts/errors';
import type { Actor } from '../identity/actors.ts';
import { checkoutSecretOf } from '../identity/checkout-secret.ts';
import { portalSecretOf } from '../identity/portal-session.ts';
import { loginRequired, unauthorized } from '../identity/unauthorized.ts';
import { MissingScopeError } from '../problems/missing-scope-error.ts';
import { type Operation, scopesOf } from './operation.ts';

/**
 * @throws DomainError unauthorized, insufficient_scope or, for want of a buyer's secret, checkout_not_found or
 * portal_session_ended when this actor may not call this operation
 */
export function checkAccess(operation: Operation, actor: Actor, headers: IncomingHttpHeaders): void {
  switch (operation.auth) {
    case 'public':
    case 'visitor':
      return;
    case 'buyer':
      checkoutSecretOf(headers);
      return;
    case 'portal':
      portalSecretOf(headers);
      return;
    case 'session':
      if (actor.kind !== 'session') throw actor.kind === 'anonymous' ? unauthorized() : loginRequired();
      return;
    case 'platform':
      if (actor.kind !== 'platform') throw new DomainError('insufficient_scope', 'Only the platform key may do this.');
      return;
    case 'daily':
      if (actor.kind !== 'platform') checkScope(operation, actor);
      return;
    case 'account':
      checkScope(operation, actor);
  }
}

function checkScope(operation: Operation, actor: Actor): void {
  if (actor.kind === 'anonymous') throw unauthorized();
  if (actor.kind === 'platform') {
    throw new DomainError(
      'insufficient_scope',
      'The platform key belongs to no account: it may only run the daily job. Use an API key of the account.',
    );
  }
  const missing = scopesOf(operation).find((scope) => !actor.scopes.has(scope));
  if (missing !== undefined) throw new MissingScopeError(missing);
}
