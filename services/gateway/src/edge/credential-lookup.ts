import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Actor } from '../identity/actors.ts';
import type { Authenticator, Credential } from '../identity/authenticator.ts';
import { getSessionToken } from '../identity/session-cookie.rules.ts';
import type { WindowLimiter } from '../limits/window-limiter.ts';
import { clientOfAddress } from './client-address.rules.ts';
import type { RequestLimits } from './request-limits.ts';

interface LookupDeps {
  readonly authenticator: Authenticator;
  readonly byAddress: WindowLimiter;
  readonly limits: RequestLimits;
  readonly isLimited: boolean;
}

/** Finds who a credential belongs to that is not in the cache; null for an invalid one, which counts for its address. */
export type CredentialLookup = (
  credential: Credential,
  req: FastifyRequest,
  reply: FastifyReply,
) => Promise<Actor | null>;

/**
 * A credential that is not in the cache counts as invalid until the database has been queried. Once its address is over
 * the limit, the look-up joins a throttled batch: invented keys then cost few statements, and a valid key from the
 * same address waits a moment.
 */
export function createCredentialLookup(deps: LookupDeps): CredentialLookup {
  const { authenticator, byAddress, limits, isLimited } = deps;
  return async (credential, req, reply) => {
    const window = byAddress.take(clientOfAddress(req.ip));
    const allowed = !isLimited || byAddress.allowed(window);
    let actor: Actor | null;
    try {
      actor = await (allowed ? authenticator.find(credential) : authenticator.findThrottled(credential));
    } catch (err) {
      byAddress.release(window);
      throw err;
    }
    if (actor === null) limits.countAddress(reply, byAddress, window, allowed);
    else byAddress.release(window);
    return actor;
  };
}

/** An Authorization header, even an unusable one, is the only credential that counts; without one, the session cookie. @param secure as `sessionOf` */
export function credentialOf(req: FastifyRequest, secure: boolean): Credential | null {
  const { authorization } = req.headers;
  if (authorization === undefined) return sessionOf(req, secure);
  const bearer = authorization.slice(0, 7).toLowerCase() === 'bearer ';
  return bearer ? { kind: 'key', secret: authorization.slice(7).trim() } : null;
}

/** @param secure whether browsers reach this deployment by https */
export function sessionOf({ headers }: FastifyRequest, secure: boolean): Credential | null {
  const secret = getSessionToken(headers.cookie, secure);
  return secret === undefined ? null : { kind: 'session', secret };
}
