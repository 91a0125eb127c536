import { randomInt } from 'node:crypto';
import type { Database } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import { Client } from 'pg';
import { createWaker } from './waker.ts';

/** The first key of the advisory locks by which living processes of a service are known; any number would do. */
const instanceLockClass = 0x77_68_64;

/** A query for the owners that live: the numbers of all processes that hold their lock in this database. */
export const livingOwners = `select objid::bigint from pg_locks
  where locktype = 'advisory' and classid = ${instanceLockClass} and objsubid = 2 and granted
    and database = (select oid from pg_database where datname = current_database())`;

/**
 * This process as the owner of leases. While it lives, one database session holds a lock on its number; when it is
 * killed the session ends with it, and others see at once that its leases are void instead of waiting for their end.
 */
export interface Instance {
  readonly owner: number;
  close(): Promise<void>;
}

const retryPauseMs = 250;

export async function startInstance(database: Database, logger: Logger): Promise<Instance> {
  const owner = randomInt(1, 2 ** 31 - 1);
  const waker = createWaker();
  let closing = false;
  let session: Client | undefined = await takeLock(database, owner, waker.wake);
  const running = (async () => {
    while (!closing) {
      if (session === undefined) {
        session = await takeLock(database, owner, waker.wake).catch((err: unknown) => {
          logger.warn({ err }, 'the lock of this process is not held; trying again');
          return undefined;
        });
      }
      await waker.sleep(session === undefined ? retryPauseMs : checkEveryMs);
      if (session !== undefined && !closing && !(await answers(session))) {
        // Not waited for: a connection that went silent never says goodbye.
        void end(session);
        session = undefined;
      }
    }
  })();
  return {
    owner,
    close: async () => {
      closing = true;
      waker.wake();
      await running;
      if (session !== undefined) await end(session);
    },
  };
}

/** A broken connection says so at once; one that went silent is found out by asking. */
const checkEveryMs = 10_000;

async function answers(session: Client): Promise<boolean> {
  return await session.query('select 1').then(
    () => true,
    () => false,
  );
}

/** On a connection of its own: one of the pool's would be missing there for as long as the process lives. */
async function takeLock(database: Database, owner: number, lost: () => void): Promise<Client> {
  const session = new Client(database.pool.options);
  session.on('error', lost);
  try {
    await session.connect();
    const taken = await session.query('select pg_try_advisory_lock($1, $2) as taken', [instanceLockClass, owner]);
    if (!taken.rows[0]?.taken) throw new Error('an earlier session of this process still holds its lock');
    return session;
  } catch (err) {
    await end(session);
    throw err;
  }
}

async function end(session: Client): Promise<void> {
  await session.end().catch(() => undefined);
}
