import { randomInt } from 'node:crypto';
import { type BackgroundLoop, startLoop } from './background-loop.ts';
import { connectAtStartMs } from './connection-settings.ts';
import { type Database, statement, unnamed } from './database.ts';
import { type LockSession, openLockSession } from './lock-session.ts';
import type { Logger } from './logger.ts';

/** The first key of the advisory locks by which living processes of a service are known; any number would do. */
const leaseOwnerLockClass = 0x77_68_64;

/** A query for the owners that live: the numbers of all processes that hold their lock in this database. */
export const liveLeaseOwners = `select objid::bigint from pg_locks
  where locktype = 'advisory' and classid = ${leaseOwnerLockClass} and objsubid = 2 and granted
    and database = (select oid from pg_database where datname = current_database())`;

/**
 * This process as the owner of leases. While it lives, one database session holds a lock on its number; when it is
 * killed the session ends with it, and others see at once that its leases are void instead of waiting for their end. A
 * process that was stopped or cut off loses its lock within half a minute.
 */
export interface LeaseOwner {
  /** The number that stands in the rows of its leases. */
  readonly id: number;
  close(): Promise<void>;
}

const retryPauseMs = 250;
/** The session wakes us when it is lost. */
const checkEveryMs = 10_000;
/** For the first lock alone: a process that acquires it again may be closing, and others void its leases meanwhile. */
const atStart = { connectionTimeoutMillis: connectAtStartMs };

export async function startLeaseOwner(database: Database, logger: Logger): Promise<LeaseOwner> {
  const owner = randomInt(1, 2 ** 31 - 1);
  let loop: BackgroundLoop | undefined;
  const wake = (): void => loop?.wake();
  let session: LockSession | undefined = await takeLock(database, owner, wake, atStart);
  /** Not waited for: a connection that went silent never says goodbye. */
  const dropLost = (): void => {
    if (!session?.lost()) return;
    void session.close();
    session = undefined;
  };
  const started = startLoop({
    name: 'lease-owner',
    round: async () => {
      dropLost();
      session ??= await takeLock(database, owner, wake);
    },
    pauseMs: () => (session === undefined ? retryPauseMs : checkEveryMs),
    onFailure: (err) => logger.warn({ err }, 'this process lost its lock; acquiring it again'),
  });
  loop = started;
  return {
    id: owner,
    close: async () => {
      await started.close();
      dropLost();
      await session?.close();
    },
  };
}

const lockStatement = statement<{ taken: boolean }>(
  'lease-owner-lock',
  'select pg_try_advisory_lock($1, $2) as taken',
  { taken: 'bool' },
);

/** On a connection of its own: one of the pool's would be missing there for as long as the process lives. */
async function takeLock(
  database: Database,
  owner: number,
  lost: () => void,
  more: Partial<typeof atStart> = {},
): Promise<LockSession> {
  const session = await openLockSession({ ...database.pool.options, ...more }, lost);
  try {
    const taken = await session.client.query(unnamed(lockStatement([leaseOwnerLockClass, owner])));
    if (!taken.rows[0]?.taken) throw new Error('an earlier session of this process still holds its lock');
    return session;
  } catch (err) {
    await session.close();
    throw err;
  }
}
