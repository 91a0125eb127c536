import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Actor, nobody } from '../identity/actors.ts';
import type { Authenticator, Credential } from '../identity/authenticator.ts';
import { getSessionToken } from '../identity/session-cookie.rules.ts';
import { unauthorized } from '../identity/unauthorized.ts';
import type { AccountQuota } from '../limits/account-quota.ts';
import type { AddressLimiter } from '../limits/address-limiter.ts';
import { clientOfAddress } from './client-address.rules.ts';
import { Delays } from './delays.ts';
import type { EdgeConfig } from './edge-config.ts';
import { createOwnSite } from './own-site.ts';
import { createRequestLimits } from './request-limits.ts';

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
   * The result is no promise when the caller is in the cache and does not wait for its turn. `public` routes need no
   * credential, and pages of other sites may not call them. Routes for `anyPage` look at no credential, so that a page of any site may.
   * @throws DomainError unauthorized, cross_site_request or rate_limited; a promise rejects with it
   */
  admit(access: Access, req: FastifyRequest, reply: FastifyReply): Actor | Promise<Actor>;
  /**
   * Counts one call of an operation that a page makes for its request, whose actor is known.
   * @param method the operation's
   * @throws as `admit`
   */
  admitCall(access: Access, method: string, req: FastifyRequest, reply: FastifyReply): Actor | Promise<Actor>;
  /**
   * Counts a request that no route serves for its client's address, as a buyer's: their browsers look for icons.
   * @throws DomainError rate_limited
   */
  countUnknown(req: FastifyRequest, reply: FastifyReply): void;
}

/** Requests that wait for their turn at once. With the refusals that wait, a quarter of the connections are left. */
const waitingMax = 1_000;

/** @param server where the requests come in: when it closes, those that wait for their turn are worked on at once */
export function createGuard(server: Pick<FastifyInstance, 'addHook'>, deps: GuardDeps): Guard {
  const { config, authenticator, accountQuota, addressLimiter: byAddress, buyersLimiter } = deps;
  const limited = config.RATE_LIMIT_PER_MINUTE > 0;
  const ownSite = createOwnSite(config);

  const limits = createRequestLimits(limited, accountQuota, new Delays(server, waitingMax));
  const windowOf = (req: FastifyRequest, limiter = byAddress) => limiter.take(clientOfAddress(req.ip));

  function admitKeyless(access: 'public' | 'anyPage', req: FastifyRequest, reply: FastifyReply): Actor {
    if (access === 'public') ownSite.checkPage(req);
    const limiter = access === 'anyPage' ? buyersLimiter : byAddress;
    limits.countAddress(reply, limiter, windowOf(req, limiter));
    return nobody;
  }

  function admitActor(
    actor: Actor,
    req: FastifyRequest,
    reply: FastifyReply,
    method = req.method,
  ): Actor | Promise<Actor> {
    if (actor.kind === 'session') ownSite.checkSession(req, method);
    const counted = limits.countAccount(reply, actor);
    return counted === undefined ? actor : counted.then((hasWaited) => (hasWaited ? findAgain(req) : actor));
  }

  /** The credential may have been revoked while its request waited. */
  async function findAgain(req: FastifyRequest): Promise<Actor> {
    const credential = credentialOf(req);
    const actor = credential === null ? null : await authenticator.find(credential);
    if (actor === null) throw unauthorized();
    return actor;
  }

  function admitKnown(
    actor: Actor | null,
    req: FastifyRequest,
    reply: FastifyReply,
    method?: string,
  ): Actor | Promise<Actor> {
    if (actor !== null) return admitActor(actor, req, reply, method);
    limits.countAddress(reply, byAddress, windowOf(req));
    throw unauthorized();
  }

  /**
   * A credential that is not in the cache counts as invalid until the database has been asked. Once its address is over
   * the limit, the look-up joins a throttled batch: invented keys then cost few statements, and a valid key from the
   * same address waits a moment.
   */
  async function lookUp(credential: Credential, req: FastifyRequest, reply: FastifyReply): Promise<Actor> {
    const window = windowOf(req);
    const allowed = !limited || byAddress.allowed(window);
    let actor: Actor | null;
    try {
      actor = await (allowed ? authenticator.find(credential) : authenticator.findThrottled(credential));
    } catch (err) {
      byAddress.release(window);
      throw err;
    }
    if (actor === null) {
      limits.countAddress(reply, byAddress, window, allowed);
      throw unauthorized();
    }
    byAddress.release(window);
    return await admitActor(actor, req, reply);
  }

  return {
    countUnknown: (req, reply) => limits.countAddress(reply, buyersLimiter, windowOf(req, buyersLimiter)),
    admit: (access, req, reply) => {
      if (access !== 'credential') return admitKeyless(access, req, reply);
      const credential = credentialOf(req);
      const known = credential === null ? null : authenticator.known(credential);
      if (known === undefined) return lookUp(credential as Credential, req, reply);
      if (known instanceof Promise) return known.then((actor) => admitKnown(actor, req, reply));
      return admitKnown(known, req, reply);
    },
    admitCall: (access, method, req, reply) => {
      if (access !== 'credential') return admitKeyless(access, req, reply);
      const actor = req.actor ?? nobody;
      return admitKnown(actor.kind === 'nobody' ? null : actor, req, reply, method);
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
