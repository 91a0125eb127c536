import type { Clock } from '@app/service-kit/clock';
import type { Database, StatementQuery } from '@app/service-kit/database';
import { earliestPerAccount } from '@app/service-kit/fair-share-sql';
import type { Logger } from '@app/service-kit/logger';
import { isOutage } from '@app/service-kit/outages';

/** So many in a row are no single row's. */
const outagesMax = 3;

/** What every sweep works with. */
export interface SweepRun {
  readonly logger: Logger;
  /** Whether the process is about to end. */
  readonly closing: () => boolean;
}

/**
 * SQL that claims the rows of a round: `checked_at` moves on with the claim, so no other replica checks them, and a round
 * finds none of the round before.
 */
export function claimSql(table: string, status: string, returned: string): string {
  const due = earliestPerAccount(table, 'id', 'checked_at', `status = '${status}' and checked_at <= $2`);
  return `update ${table} set checked_at = $1 where id = any (array(
       select id from ${table} where id = any (array(${due} limit 100))
         and status = '${status}' and checked_at <= $2 for update skip locked))
     returning ${returned}`;
}

/**
 * Claims by a statement of `claimSql` what was checked so long ago, or never.
 * @param againAfterMs when it is claimed again, unless its check writes down that it was made; as late as after a check unless given
 */
export async function claimDue<Row extends object>(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  claim: (values: unknown[]) => StatementQuery<Row>,
  recheckAfterMs: number,
  againAfterMs = recheckAfterMs,
): Promise<readonly Row[]> {
  const nowMs = clock.nowMs();
  const dueMs = nowMs - recheckAfterMs;
  return (await database.pool.query(claim([new Date(dueMs + againAfterMs), new Date(dueMs)]))).rows;
}

/**
 * Works on what is due, round after round until nothing is. One row's fault keeps no other waiting, and neither does
 * one whose answer never comes; outages in a row end the sweep, and the next one goes on.
 * @param claim takes a round's rows, so that neither another replica nor a later round of this sweep takes them
 * @param failed is called with each row that could not be worked on
 */
export async function sweepDue<Row>(
  { closing }: Pick<SweepRun, 'closing'>,
  claim: () => Promise<readonly Row[]>,
  work: (row: Row) => Promise<void>,
  failed: (err: unknown, row: Row) => void,
): Promise<void> {
  let outages = 0;
  const attempt = async (row: Row): Promise<void> => {
    try {
      await work(row);
      outages = 0;
    } catch (err) {
      failed(err, row);
      outages = isOutage(err) ? outages + 1 : 0;
    }
  };
  for (let rows = await claim(); rows.length > 0; rows = await claim()) {
    for (const row of rows) {
      if (closing() || outages === outagesMax) return;
      await attempt(row);
    }
  }
}
