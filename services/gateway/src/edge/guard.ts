import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Actor, anonymous } from '../identity/actors.ts';
import type { Authenticator, Credential } from '../identity/authenticator.ts';
import { unauthorized } from '../identity/unauthorized.ts';
import type { AccountQuota } from '../limits/account-quota.ts';
import type { WindowLimiter } from '../limits/window-limiter.ts';
import { isHttps } from './base-url.ts';
import { clientOfAddress } from './client-address.rules.ts';
import { createCredentialLookup, credentialOf, sessionOf } from './credential-lookup.ts';
import { Delays } from './delays.ts';
import type { EdgeConfig } from './edge-config.ts';
import { createOwnSite } from './own-site.ts';
import { createRequestLimits } from './request-limits.ts';

export interface GuardDeps {
  readonly config: EdgeConfig;
  readonly authenticator: Authenticator;
  readonly addressLimiter: WindowLimiter;
  readonly buyersLimiter: WindowLimiter;
  /** Null where no limit is set. */
  readonly accountQuota: AccountQuota | null;
}

export type Access = 'public' | 'anyPage' | 'credential';

/** Finds out who calls, and whether too often. */
export interface Guard {
  /**
   * The result is no promise when the caller is in the cache and is not queued. `public` routes need no
   * credential, and pages of other sites may not call them. Routes for `anyPage` read no credential, so that a page of any site may.
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
   * Finds the session of a browser that requests a page, whose calls then count for it. A cookie without a session is a reader
   * who is not logged in, and counts for its address.
   * @throws DomainError cross_site_request for a host that is not ours
   */
  recognize(req: FastifyRequest, reply: FastifyReply): Promise<void>;
  /**
   * Counts a request that no route serves for its client's address, as a buyer's: their browsers request icons.
   * @throws DomainError rate_limited
   */
  countUnknown(req: FastifyRequest, reply: FastifyReply): void;
}

/** Requests that are queued at once. With the refusals that wait, a quarter of the connections are left. */
const waitingMax = 1_000;

/** @param server where the requests come in: when it closes, those that are queued are worked on at once */
export function createGuard(server: Pick<FastifyInstance, 'addHook'>, deps: GuardDeps): Guard {
  const { config, authenticator, accountQuota, addressLimiter: byAddress, buyersLimiter } = deps;
  const limited = config.RATE_LIMIT_PER_MINUTE > 0;
  const ownSite = createOwnSite(config);
  const secure = isHttps(config);

  const limits = createRequestLimits(limited, accountQuota, new Delays(server, waitingMax));
  const find = createCredentialLookup({ authenticator, byAddress, limits, isLimited: limited });
  const windowOf = (req: FastifyRequest, limiter = byAddress) => limiter.take(clientOfAddress(req.ip));

  function admitKeyless(access: 'public' | 'anyPage', req: FastifyRequest, reply: FastifyReply): Actor {
    if (access === 'public') ownSite.checkPage(req);
    const limiter = access === 'anyPage' ? buyersLimiter : byAddress;
    limits.countAddress(reply, limiter, windowOf(req, limiter));
    return anonymous;
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
    const credential = credentialOf(req, secure);
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

  async function lookUp(credential: Credential, req: FastifyRequest, reply: FastifyReply): Promise<Actor> {
    const actor = await find(credential, req, reply);
    if (actor === null) throw unauthorized();
    return await admitActor(actor, req, reply);
  }

  return {
    recognize: async (req, reply) => {
      const credential = sessionOf(req, secure);
      if (credential === null) return;
      const known = authenticator.known(credential);
      const actor = known === undefined ? await find(credential, req, reply) : await known;
      if (actor === null) return;
      ownSite.checkSession(req, req.method);
      req.actor = actor;
    },
    countUnknown: (req, reply) => limits.countAddress(reply, buyersLimiter, windowOf(req, buyersLimiter)),
    admit: (access, req, reply) => {
      if (access !== 'credential') return admitKeyless(access, req, reply);
      const credential = credentialOf(req, secure);
      const known = credential === null ? null : authenticator.known(credential);
      if (known === undefined) return lookUp(credential as Credential, req, reply);
      if (known instanceof Promise) return known.then((actor) => admitKnown(actor, req, reply));
      return admitKnown(known, req, reply);
    },
    admitCall: (access, method, req, reply) => {
      if (access !== 'credential') return admitKeyless(access, req, reply);
      const actor = req.actor ?? anonymous;
      return admitKnown(actor.kind === 'anonymous' ? null : actor, req, reply, method);
    },
  };
}
