import type { Database } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import { streamKeepDays } from './streams.ts';

/** An inbox must remember an event for as long as the stream can still deliver it, and a day more. */
export const inboxKeepDays = streamKeepDays + 1;
const everyMs = 60 * 60 * 1000;
/** Small enough that no delete holds its locks for long. */
const deleteMax = 20_000;

const statements = [
  `delete from inbox where event_id in
     (select event_id from inbox where received_at < now() - make_interval(days => $1) limit $2)`,
  `delete from commands where id in
     (select id from commands where created_at < now() - make_interval(days => $1) limit $2)`,
];

/** Forgets, hourly, what can no longer be asked for again. */
export function startHousekeeping(database: Database, logger: Logger): { close(): Promise<void> } {
  let running: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    running = sweep(database).catch((err: unknown) =>
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

/** Deletes what is past its time. Exported for tests. */
export async function sweep(database: Database): Promise<void> {
  for (const statement of statements) {
    let deleted = deleteMax;
    while (deleted === deleteMax) {
      deleted = (await database.pool.query(statement, [inboxKeepDays, deleteMax])).rowCount ?? 0;
    }
  }
}
