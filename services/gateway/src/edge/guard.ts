import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Actor, nobody } from '../identity/actors.ts';
import type { Authenticator, Credential } from '../identity/authenticator.ts';
import { getSessionToken } from '../identity/session-cookie.rules.ts';
import { unauthorized } from '../identity/unauthorized.ts';
import type { AccountQuota, QuotaUse } from '../limits/account-quota.ts';
import type { AddressLimiter, Window } from '../limits/address-limiter.ts';
import { RetryLaterError } from '../problems/retry-later-error.ts';
import { clientOfAddress } from './client-address.rules.ts';
import type { EdgeConfig } from './edge-config.ts';
import { createOwnSite } from './own-site.ts';

export interface GuardDeps {
  readonly config: EdgeConfig;
  readonly authenticator: Authenticator;
  readonly addressLimiter: AddressLimiter;
  readonly buyersLimiter: AddressLimiter;
  /** Null where no limit is set. */
  readonly accountQuota: AccountQuota | null;
}

export type Access = 'public' | 'anyPage' | 'credential';

/** Finds out who calls, and whether too often. */
export interface Guard {
  /**
   * The result is no promise when the caller is in the cache. `public` routes need no credential, and pages of other
   * sites may not call them. Routes for `anyPage` look at no credential, so that a page of any site may.
   * @throws DomainError unauthorized, cross_site_request or rate_limited; a promise rejects with it
   */
  admit(access: Access, req: FastifyRequest, reply: FastifyReply): Actor | Promise<Actor>;
}

export function createGuard(deps: GuardDeps): Guard {
  const { config, authenticator, accountQuota, addressLimiter: byAddress, buyersLimiter } = deps;
  const limited = config.RATE_LIMIT_PER_MINUTE > 0;
  const ownSite = createOwnSite(config);

  const countAddress = (req: FastifyRequest, limiter = byAddress) => limiter.take(clientOfAddress(req.ip));

  /**
   * Counts the request for good.
   * @param allowed when this request was taken: later requests of the address may have used up its window
   */
  function applyAddressLimit(
    reply: FastifyReply,
    window: Window,
    limiter = byAddress,
    allowed = limiter.allowed(window),
  ): void {
    if (!limited) return;
    limiter.keep(window);
    const remaining = limiter.remaining(window);
    const resetSeconds = limiter.resetSeconds(window);
    applyLimit(reply, limiter, { allowed, remaining, resetSeconds });
  }

  function admitActor(actor: Actor, req: FastifyRequest, reply: FastifyReply): Actor | Promise<Actor> {
    if (actor.kind === 'session') ownSite.checkSession(req);
    if (actor.kind === 'platform' || accountQuota === null) return actor;
    const quota = { policy: 'default', limit: accountQuota.limit };
    const use = accountQuota.take(actor.accountId);
    if (!(use instanceof Promise)) {
      applyLimit(reply, quota, use);
      return actor;
    }
    return use.then((counted) => {
      applyLimit(reply, quota, counted);
      return actor;
    });
  }

  function admitKnown(actor: Actor | null, req: FastifyRequest, reply: FastifyReply): Actor | Promise<Actor> {
    if (actor !== null) return admitActor(actor, req, reply);
    applyAddressLimit(reply, countAddress(req));
    throw unauthorized();
  }

  /**
   * A credential that is not in the cache counts as invalid until the database has been asked. Once its address is over
   * the limit, the look-up joins a throttled batch: invented keys then cost few statements, and a valid key from the
   * same address waits a moment.
   */
  async function lookUp(credential: Credential, req: FastifyRequest, reply: FastifyReply): Promise<Actor> {
    const window = countAddress(req);
    const allowed = !limited || byAddress.allowed(window);
    let actor: Actor | null;
    try {
      actor = await (allowed ? authenticator.find(credential) : authenticator.findThrottled(credential));
    } catch (err) {
      byAddress.release(window);
      throw err;
    }
    if (actor === null) {
      applyAddressLimit(reply, window, byAddress, allowed);
      throw unauthorized();
    }
    byAddress.release(window);
    return await admitActor(actor, req, reply);
  }

  return {
    admit: (access, req, reply) => {
      if (access !== 'credential') {
        if (access === 'public') ownSite.checkPage(req);
        const limiter = access === 'anyPage' ? buyersLimiter : byAddress;
        applyAddressLimit(reply, countAddress(req, limiter), limiter);
        return nobody;
      }
      const credential = credentialOf(req);
      const known = credential === null ? null : authenticator.known(credential);
      if (known === undefined) return lookUp(credential as Credential, req, reply);
      if (known instanceof Promise) return known.then((actor) => admitKnown(actor, req, reply));
      return admitKnown(known, req, reply);
    },
  };
}

/** An Authorization header, even an unusable one, is the only credential that counts; without one, the session cookie. */
function credentialOf(req: FastifyRequest): Credential | null {
  const { authorization } = req.headers;
  if (authorization !== undefined) {
    const bearer = authorization.slice(0, 7).toLowerCase() === 'bearer ';
    return bearer ? { kind: 'key', secret: authorization.slice(7).trim() } : null;
  }
  const secret = getSessionToken(req.headers.cookie);
  return secret === undefined ? null : { kind: 'session', secret };
}

/**
 * Sets the headers of draft-ietf-httpapi-ratelimit-headers, and those of its first versions, which programs know.
 * @throws DomainError rate_limited when the request is over the limit
 */
function applyLimit(
  reply: FastifyReply,
  { policy, limit }: Pick<AddressLimiter, 'policy' | 'limit'>,
  { allowed, remaining, resetSeconds }: QuotaUse,
): void {
  reply.header('ratelimit-policy', `"${policy}";q=${limit};w=60`);
  reply.header('ratelimit', `"${policy}";r=${remaining};t=${resetSeconds}`);
  reply.header('ratelimit-limit', limit);
  reply.header('ratelimit-remaining', remaining);
  reply.header('ratelimit-reset', resetSeconds);
  if (!allowed) throw new RetryLaterError('rate_limited', `At most ${limit} requests a minute.`, resetSeconds);
}
