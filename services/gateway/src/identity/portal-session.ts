import { DomainError } from '@app/contracts/errors';
import type { Clock } from '@app/service-kit/clock';
import type { Database } from '@app/service-kit/database';
import type { Actor } from './actors.ts';
import { findPortalActor } from './find-actor.ts';
import { hashSessionToken } from './session-token.ts';

/** The header in which a buyer's page sends the secret of its session of the portal. */
export const portalSessionHeader = 'x-portal-session';

/** 256 random bits in base64url. A header that came twice has a comma and does not match. */
const form = /^[A-Za-z0-9_-]{43}$/;

/**
 * The secret that a request to the portal carries.
 * @throws DomainError portal_session_ended when it carries none of the right form: no session has such a secret
 */
export function portalSecretOf(headers: Readonly<Record<string, unknown>>): string {
  const secret = headers[portalSessionHeader];
  if (typeof secret !== 'string' || !form.test(secret)) throw portalSessionEnded();
  return secret;
}

/**
 * The buyer whose session it is. The database is queried each time: a session that was closed is over at once.
 * @throws DomainError portal_session_ended
 */
export async function requirePortalActor(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  headers: Readonly<Record<string, unknown>>,
): Promise<Actor> {
  const actor = await findPortalActor(database, hashSessionToken(portalSecretOf(headers)), clock.now());
  if (actor === null) throw portalSessionEnded();
  return actor;
}

/** One error for a secret that is missing, malformed or unknown and for a session that has ended. */
function portalSessionEnded(): DomainError {
  return new DomainError('portal_session_ended', 'This session has ended: request another link by email.');
}
