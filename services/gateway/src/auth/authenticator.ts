import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '@app/service-kit/clock';
import type { Database } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import { hashApiKey, isWellFormedKey } from '../api-keys/key-format.ts';
import { hashSessionToken } from '../sessions/session-token.ts';
import { ActorCache, type Found } from './actor-cache.ts';
import type { Actor } from './actors.ts';
import { platform } from './actors.ts';
import { findKey, findSession } from './find-actor.ts';
import { KeyUsage } from './key-usage.ts';

export interface Authenticator {
  /** Who holds this bearer token; null for every kind of invalid one. No promise when that is known already. */
  actorOfToken(token: string): Actor | null | Promise<Actor | null>;
  actorOfSession(token: string): Actor | null | Promise<Actor | null>;
  /** To be called after each change of keys, sessions or settings, before it is answered. */
  forget(): void;
  close(): Promise<void>;
}

export interface AuthenticatorOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly pepper: string;
  readonly platformKey: string | undefined;
}

export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { database, clock } = options;
  const usage = new KeyUsage(database, options.logger);
  const isPlatformKey = platformKeyCheck(options.platformKey);
  const keys = new ActorCache(async (token) => {
    const found = await findKey(database, hashApiKey(token, options.pepper));
    const nowMs = clock.nowMs();
    if (found !== null && nowMs < found.expiresAtMs) usage.note(found, nowMs);
    return found;
  });
  const sessions = new ActorCache((token) => findSession(database, hashSessionToken(token)));
  const unexpired = (found: Found | null): Actor | null =>
    found !== null && clock.nowMs() < found.expiresAtMs ? found.actor : null;
  const resolve = (found: Found | null | Promise<Found | null>) =>
    found instanceof Promise ? found.then(unexpired) : unexpired(found);
  return {
    actorOfToken: (token) => {
      const known = keys.known(token);
      if (known !== undefined) return resolve(known);
      if (isWellFormedKey(token)) return resolve(keys.find(token));
      return isPlatformKey(token) ? platform : null;
    },
    actorOfSession: (token) => resolve(sessions.find(token)),
    forget: () => {
      keys.clear();
      sessions.clear();
    },
    close: () => usage.close(),
  };
}

/** Compares digests, which have one length, in constant time. */
function platformKeyCheck(platformKey: string | undefined): (token: string) => boolean {
  if (platformKey === undefined) return () => false;
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const expected = digest(platformKey);
  return (token) => timingSafeEqual(digest(token), expected);
}
