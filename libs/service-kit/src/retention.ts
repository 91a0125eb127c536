import { hourMs } from '@app/contracts/durations';
import type pg from 'pg';
import { type BackgroundLoop, startLoop } from './background-loop.ts';
import type { Clock } from './clock.ts';
import { type Database, unnamed } from './database.ts';
import type { Logger } from './logger.ts';

/** A process may be renewed before an hour is over. At the very start it has other things to do. */
const firstAfterMs = 30_000;
/** Small enough that no delete holds its locks for long. */
const deleteMax = 20_000;

/** How long rows are kept, as the statement that deletes those kept for longer. */
export interface RetentionRule {
  /** Deletes at most `$2` rows; what `$1` is, a number of days or a time, is up to the statement. */
  readonly statement: (values?: unknown[]) => pg.QueryConfig;
  readonly limit: () => unknown;
}

/** A rule whose limit is of a clock. */
export interface ClockRule extends Pick<RetentionRule, 'statement'> {
  readonly limit: (clock: Clock) => unknown;
}

export const rulesBy = (clock: Clock, rules: readonly ClockRule[]): RetentionRule[] =>
  rules.map(({ statement, limit }) => ({ statement, limit: () => limit(clock) }));

/** Deletes expired rows half a minute after the start and then every hour. */
export function startRetention(database: Database, logger: Logger, rules: readonly RetentionRule[]): BackgroundLoop {
  let nextAtMs = 0;
  return startLoop({
    name: 'retention',
    firstAfterMs,
    round: () => {
      nextAtMs = performance.now() + hourMs;
      return deleteExpired(database, rules);
    },
    pauseMs: () => Math.max(0, nextAtMs - performance.now()),
    onFailure: (err) => logger.warn({ err }, 'expired rows could not be deleted; retrying in an hour'),
  });
}

/** Deletes the rows that the rules call expired, in statements of 20,000 rows at most. */
export async function deleteExpired(database: Database, rules: readonly RetentionRule[]): Promise<void> {
  for (const { statement, limit } of rules) {
    let deleted = deleteMax;
    while (deleted === deleteMax) {
      deleted = (await database.pool.query(unnamed(statement([limit(), deleteMax])))).rowCount ?? 0;
    }
  }
}
