import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../app.ts';
import type { Taken } from '../auth/account-quota.ts';
import type { Actor } from '../auth/actors.ts';
import { nobody } from '../auth/actors.ts';
import { callerOfAddress } from '../auth/address.rules.ts';
import type { Credential } from '../auth/authenticator.ts';
import { RateLimiter, type Window } from '../auth/rate-limiter.ts';
import { readSessionCookie } from '../sessions/session-cookie.rules.ts';
import { unauthorized } from './allowed.ts';
import type { OperationAuth } from './operation.ts';
import { createOwnSite } from './own-site.ts';
import { TemporaryRefusal } from './temporary-refusal.ts';

/** Who is calling, and whether too often. */
export interface Guard {
  /** Throws or rejects with `unauthorized`, `cross_site_request` or `rate_limited`; no promise when the caller is known. */
  admit(auth: OperationAuth, req: FastifyRequest, reply: FastifyReply): Actor | Promise<Actor>;
}

const addressLimitPerMinute = 60;

export function createGuard(app: App): Guard {
  const limited = app.config.RATE_LIMIT_PER_MINUTE > 0;
  const byAddress = new RateLimiter(addressLimitPerMinute);
  const ownSite = createOwnSite(app.config);

  const windowOf = (req: FastifyRequest) => byAddress.take(callerOfAddress(req.ip), performance.now());

  /** @param allowed as it was when this request was counted: others may have come since */
  function tellAddress(reply: FastifyReply, window: Window, allowed = byAddress.allowed(window)): void {
    if (!limited) return;
    const remaining = byAddress.remaining(window);
    const resetSeconds = byAddress.resetSeconds(window, performance.now());
    tell(reply, byAddress.limit, { allowed, remaining, resetSeconds });
  }

  function accept(actor: Actor, req: FastifyRequest, reply: FastifyReply): Actor | Promise<Actor> {
    if (actor.kind === 'session') ownSite.admitSession(req);
    if (actor.kind === 'platform' || app.accountQuota === null) return actor;
    const { limit } = app.accountQuota;
    const taken = app.accountQuota.take(actor.accountId);
    if (!(taken instanceof Promise)) {
      tell(reply, limit, taken);
      return actor;
    }
    return taken.then((told) => {
      tell(reply, limit, told);
      return actor;
    });
  }

  function judge(actor: Actor | null, req: FastifyRequest, reply: FastifyReply): Actor | Promise<Actor> {
    if (actor !== null) return accept(actor, req, reply);
    tellAddress(reply, windowOf(req));
    throw unauthorized();
  }

  /**
   * A credential that the database must be asked about counts as an invalid one until that is known. Beyond the address's
   * limit it is looked up in turn, with all others of the kind: whoever sends invented keys makes few statements, and a
   * valid key from their address waits a moment.
   */
  async function lookUp(credential: Credential, req: FastifyRequest, reply: FastifyReply): Promise<Actor> {
    const window = windowOf(req);
    const allowed = !limited || byAddress.allowed(window);
    let actor: Actor | null;
    try {
      actor = await (allowed ? app.authenticator.find(credential) : app.authenticator.findInTurn(credential));
    } catch (err) {
      byAddress.giveBack(window);
      throw err;
    }
    if (actor === null) {
      tellAddress(reply, window, allowed);
      throw unauthorized();
    }
    byAddress.giveBack(window);
    return await accept(actor, req, reply);
  }

  return {
    admit: (auth, req, reply) => {
      if (auth === 'public') {
        ownSite.admitPage(req);
        tellAddress(reply, windowOf(req));
        return nobody;
      }
      const credential = credentialOf(req);
      const known = credential === null ? null : app.authenticator.known(credential);
      if (known === undefined) return lookUp(credential as Credential, req, reply);
      if (known instanceof Promise) return known.then((actor) => judge(actor, req, reply));
      return judge(known, req, reply);
    },
  };
}

/** An Authorization header, even an unusable one, is the only thing that counts; else the session cookie does. */
function credentialOf(req: FastifyRequest): Credential | null {
  const { authorization } = req.headers;
  if (authorization !== undefined) {
    const bearer = authorization.slice(0, 7).toLowerCase() === 'bearer ';
    return bearer ? { kind: 'key', secret: authorization.slice(7).trim() } : null;
  }
  const secret = readSessionCookie(req.headers.cookie);
  return secret === undefined ? null : { kind: 'session', secret };
}

/** Headers as in draft-ietf-httpapi-ratelimit-headers, and one by one as in its first versions, which programs know. */
function tell(reply: FastifyReply, limit: number, { allowed, remaining, resetSeconds }: Taken): void {
  reply.header('ratelimit-policy', `"default";q=${limit};w=60`);
  reply.header('ratelimit', `"default";r=${remaining};t=${resetSeconds}`);
  reply.header('ratelimit-limit', limit);
  reply.header('ratelimit-remaining', remaining);
  reply.header('ratelimit-reset', resetSeconds);
  if (!allowed) throw new TemporaryRefusal('rate_limited', `At most ${limit} requests a minute.`, resetSeconds);
}
