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

/** SQL of the ids of a round. Whoever claims them moves `asked_at` on, so a round finds none of the round before. */
export const earliestDue = (table: string, where: string): string =>
  `${earliestPerAccount(table, 'id', 'asked_at', `${where} and asked_at <= $2`)} limit 100`;

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
