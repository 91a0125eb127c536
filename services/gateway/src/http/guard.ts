import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../app.ts';
import type { Actor } from '../auth/actors.ts';
import { nobody } from '../auth/actors.ts';
import { callerOfAddress } from '../auth/address.rules.ts';
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
  const perMinute = app.config.RATE_LIMIT_PER_MINUTE;
  const byKey = new RateLimiter(perMinute);
  const byAddress = new RateLimiter(perMinute === 0 ? 0 : addressLimitPerMinute);
  const ownSite = createOwnSite(app.config);

  const countAddress = (req: FastifyRequest, reply: FastifyReply) => count(byAddress, callerOfAddress(req.ip), reply);

  function accept(actor: Actor | null, auth: OperationAuth, req: FastifyRequest, reply: FastifyReply): Actor {
    if (actor === null) {
      countAddress(req, reply);
      throw unauthorized();
    }
    if (actor.kind === 'session') ownSite.admitSession(req);
    if (auth !== 'daily' && actor.kind !== 'platform') count(byKey, actor.keyId ?? actor.accountId, reply);
    return actor;
  }

  return {
    admit: (auth, req, reply) => {
      if (auth === 'public') {
        ownSite.admitPage(req);
        countAddress(req, reply);
        return nobody;
      }
      const actor = actorOf(app, req);
      if (actor instanceof Promise) return actor.then((found) => accept(found, auth, req, reply));
      return accept(actor, auth, req, reply);
    },
  };
}

/** An Authorization header, even an unusable one, is the only thing that counts; else the session cookie does. */
function actorOf(app: App, req: FastifyRequest): Actor | null | Promise<Actor | null> {
  const { authorization } = req.headers;
  if (authorization !== undefined) {
    const bearer = authorization.slice(0, 7).toLowerCase() === 'bearer ';
    return bearer ? app.authenticator.actorOfToken(authorization.slice(7).trim()) : null;
  }
  const token = readSessionCookie(req.headers.cookie);
  return token === undefined ? null : app.authenticator.actorOfSession(token);
}

/** Headers as in draft-ietf-httpapi-ratelimit-headers, and one by one as in its first versions, which programs know. */
function count(limiter: RateLimiter, caller: string, reply: FastifyReply): void {
  if (limiter.limit === 0) return;
  const nowMs = performance.now();
  const window: Window = limiter.take(caller, nowMs);
  const resetSeconds = limiter.resetSeconds(window, nowMs);
  reply.header('ratelimit-policy', `"default";q=${limiter.limit};w=60`);
  reply.header('ratelimit', `"default";r=${limiter.remaining(window)};t=${resetSeconds}`);
  reply.header('ratelimit-limit', limiter.limit);
  reply.header('ratelimit-remaining', limiter.remaining(window));
  reply.header('ratelimit-reset', resetSeconds);
  if (limiter.allowed(window)) return;
  throw new TemporaryRefusal('rate_limited', `At most ${limiter.limit} requests a minute.`, resetSeconds);
}
