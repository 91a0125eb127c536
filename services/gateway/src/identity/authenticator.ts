import { hash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '@app/service-kit/clock';
import type { Database } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import { LookupCache } from '@app/service-kit/lookup-cache';
import type { Secrets } from '@app/service-kit/sealed-box';
import type { Actor } from './actors.ts';
import { platform } from './actors.ts';
import { isWellFormedKey } from './api-key-format.ts';
import { type FoundCredential, findSession } from './find-actor.ts';
import { createKeyHashes, createKeySearch } from './key-hashes.ts';
import { LastUse } from './last-use.ts';
import { hashSessionToken } from './session-token.ts';
import { createThrottledLookup } from './throttled-lookup.ts';

export interface Credential {
  readonly kind: 'key' | 'session';
  readonly secret: string;
}

export interface Authenticator {
  /** The cached actor, null for an invalid credential; undefined when it is not cached. A promise during its look-up. */
  known(credential: Credential): Actor | null | undefined | Promise<Actor | null>;
  /** Looks it up in the database, once for all concurrent calls. */
  find(credential: Credential): Promise<Actor | null>;
  /** As `find`, with few statements for any number of credentials: new ones wait for the next batch. */
  findThrottled(credential: Credential): Promise<Actor | null>;
  /** Call it after each change of keys, sessions or settings, before the response. */
  forget(): void;
  close(): Promise<void>;
}

export interface AuthenticatorOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly peppers: Secrets;
  readonly platformKey: string | undefined;
}

export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { database, clock } = options;
  const lastUse = new LastUse(database, options.logger);
  const isPlatformKey = platformKeyCheck(options.platformKey);
  // A client that repeats an invalid key costs one statement a moment.
  const cached = { keepsMisses: true };
  const noted = (found: FoundCredential | null): FoundCredential | null => {
    const nowMs = clock.nowMs();
    if (found !== null && nowMs < found.expiresAtMs) lastUse.note(found, nowMs);
    return found;
  };
  const findKey = createKeySearch(database, options.peppers);
  const keys = new LookupCache(async (token) => noted(await findKey(token)), cached);
  const sessions = new LookupCache(
    async (token) => noted(await findSession(database, hashSessionToken(token))),
    cached,
  );
  const caches = { key: keys, session: sessions };
  const unexpired = (found: FoundCredential | null): Actor | null =>
    found !== null && clock.nowMs() < found.expiresAtMs ? found.actor : null;
  const find = async ({ kind, secret }: Credential) => unexpired(await caches[kind].find(secret));
  const lookup = createThrottledLookup(database);
  const keyHashes = createKeyHashes(options.peppers);
  const hashes = ({ kind, secret }: Credential) => (kind === 'key' ? keyHashes(secret) : [hashSessionToken(secret)]);
  const existsAny = async (some: readonly Buffer[]): Promise<boolean> =>
    (await Promise.all(some.map((one) => lookup.exists(one)))).includes(true);
  return {
    known: ({ kind, secret }) => {
      const known = caches[kind].known(secret);
      if (known instanceof Promise) return known.then(unexpired);
      if (known !== undefined) return unexpired(known);
      if (kind === 'session' || isWellFormedKey(secret)) return undefined;
      return isPlatformKey(secret) ? platform : null;
    },
    find,
    findThrottled: async (credential) => {
      const { kind, secret } = credential;
      const mayExist = caches[kind].wasFound(secret) || (await existsAny(hashes(credential)));
      return mayExist ? await find(credential) : null;
    },
    forget: () => {
      keys.clear();
      sessions.clear();
    },
    close: async () => {
      await lookup.close();
      await lastUse.close();
    },
  };
}

/** Compares digests, which have one length, in constant time. */
function platformKeyCheck(platformKey: string | undefined): (token: string) => boolean {
  if (platformKey === undefined) return () => false;
  const digest = (text: string) => hash('sha256', text, 'buffer');
  const expected = digest(platformKey);
  return (token) => timingSafeEqual(digest(token), expected);
}
