import type { Clock } from '@app/service-kit/clock';
import type { Database } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';

const everyMs = 60 * 60 * 1000;
const keepIdempotencyDays = 30;
const dayMs = 24 * 60 * 60 * 1000;
/** Small enough that no delete holds its locks for long. */
const deleteMax = 10_000;

const oldRecords = `delete from idempotency_records where (account_id, key) in
  (select account_id, key from idempotency_records where created_at < $1 limit ${deleteMax})`;
const oldSessions = `delete from sessions where id in
  (select id from sessions where expires_at < $1 limit ${deleteMax})`;

/** Forgets, hourly, answers after their 30 days and sessions that have ended. */
export function startHousekeeping(database: Database, clock: Clock, logger: Logger): { close(): Promise<void> } {
  let running: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    running = sweep(database, clock.now()).catch((err: unknown) =>
      logger.warn({ err }, 'housekeeping failed; it runs again in an hour'),
    );
  }, everyMs);
  timer.unref();
  return {
    close: async () => {
      clearInterval(timer);
      await running;
    },
  };
}

/** Exported for tests. */
export async function sweep(database: Database, now: Date): Promise<void> {
  await deleteAll(database, oldRecords, new Date(now.getTime() - keepIdempotencyDays * dayMs));
  await deleteAll(database, oldSessions, now);
}

async function deleteAll(database: Database, statement: string, before: Date): Promise<void> {
  let deleted = deleteMax;
  while (deleted === deleteMax) deleted = (await database.pool.query(statement, [before])).rowCount ?? 0;
}
