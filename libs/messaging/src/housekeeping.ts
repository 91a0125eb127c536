import type { Database } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import { streamKeepDays } from './streams.ts';

/** An inbox must remember an event for as long as the stream can still deliver it, and a day more. */
export const inboxKeepDays = streamKeepDays + 1;
/** Time enough to look at a dead letter, mend its cause and replay it. */
export const deadLetterKeepDays = 90;
const everyMs = 60 * 60 * 1000;
/** Small enough that no delete holds its locks for long. */
const deleteMax = 20_000;

/** Rows that have had their time. */
export interface Outdated {
  /** Deletes at most `$2` rows; what `$1` is, is the statement's own affair. */
  readonly statement: string;
  readonly limit: () => unknown;
}

const messages: readonly Outdated[] = [
  `delete from inbox where event_id in
     (select event_id from inbox where received_at < now() - make_interval(days => $1) limit $2)`,
  `delete from commands where id in
     (select id from commands where created_at < now() - make_interval(days => $1) limit $2)`,
  `delete from event_tries where event_id in
     (select event_id from event_tries where tried_at < now() - make_interval(days => $1) limit $2)`,
].map((statement) => ({ statement, limit: () => inboxKeepDays }));

const deadLetters: Outdated = {
  statement: `delete from dead_letters where event_id in
     (select event_id from dead_letters where died_at < now() - make_interval(days => $1) limit $2)`,
  limit: () => deadLetterKeepDays,
};

/** What every service with messaging tables keeps in them; a service lists its own tables after these. */
export const messagingRetention: readonly Outdated[] = [...messages, deadLetters];

/** Forgets, hourly, what can no longer be asked for again. */
export function startHousekeeping(
  database: Database,
  logger: Logger,
  outdated: readonly Outdated[] = messagingRetention,
): { close(): Promise<void> } {
  let running: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    running = sweep(database, outdated).catch((err: unknown) =>
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
export async function sweep(database: Database, outdated: readonly Outdated[]): Promise<void> {
  for (const { statement, limit } of outdated) {
    let deleted = deleteMax;
    while (deleted === deleteMax) {
      deleted = (await database.pool.query(statement, [limit(), deleteMax])).rowCount ?? 0;
    }
  }
}
