import type { Logger } from '@app/service-kit/logger';
import { isOutage } from '@app/service-kit/outages';

/** What a round takes of one account: a backlog of one keeps no other waiting. */
const perAccountMax = 5;
const perRoundMax = 100;
/** So many in a row are no single row's. */
const outagesMax = 3;

/** What every sweep works with. */
export interface SweepRun {
  readonly logger: Logger;
  /** Whether the process is about to end. */
  readonly closing: () => boolean;
}

/**
 * SQL of the ids that are due, a few of each account, the longest due first: rows of `table` for which `where` holds and
 * whose `asked_at` is not after `$2`. Whoever claims them moves `asked_at` on, so a round finds none of the round before.
 */
export const earliestDue = (table: string, where: string): string => `
  select id from (
    select id, asked_at, row_number() over (partition by account_id order by asked_at) as place
    from ${table} where ${where} and asked_at <= $2
  ) as due where place <= ${perAccountMax} order by asked_at limit ${perRoundMax}`;

/**
 * Works on what is due, round after round until nothing is. One row's fault keeps no other from its turn, and neither does
 * one whose answer never comes; outages in a row end the sweep, and the next one goes on.
 * @param claim takes a round's rows, so that neither another replica nor a later round of this sweep takes them
 * @param failed is told of a row that could not be worked on
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
