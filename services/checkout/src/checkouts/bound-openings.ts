import { type Database, statement } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import { openingsBounded } from '../points/points.ts';

/** Bounds how many open checkouts an account has: anyone may open one, without a key. */
export interface OpeningBound {
  /** An opening was recorded. Costs a statement once in a hundredth of the bound, and the buyer does not wait for it. */
  opened(accountId: string): void;
  close(): Promise<void>;
}

/** Small enough that no delete holds its locks for long. */
const deleteMax = 5_000;

/**
 * Those beyond the bound: first those that were opened and not touched since, or have no email; the oldest first. An email
 * that came with the opening shows no buyer. One with an attempt to pay stays: billing knows its order.
 * What another statement has locked is being changed by its buyer.
 */
const deleteSurplus = statement(
  'checkouts-delete-surplus',
  `delete from checkouts where status = 'open' and attempt_no = 0 and id = any(array(
     select id from checkouts where account_id = $1 and status = 'open' and attempt_no = 0
     order by (email is not null and revision > 0), created_at
     limit least($3, greatest(0, (select count(*) from checkouts where account_id = $1 and status = 'open') - $2))
     for update skip locked))`,
);

/**
 * @param max open checkouts of an account. It may have a hundredth more for each replica, which checks when it has opened so
 *   many; a process that ends forgets how many it has opened, and the next hundredth counts the rows anew
 */
export function createOpeningBound({ pool }: Database, logger: Logger, max: number): OpeningBound {
  const checkedEvery = Math.max(1, Math.floor(max / 100));
  const openedSince = new Map<string, number>();
  let running: Promise<void> = Promise.resolve();
  let closing = false;

  async function enforce(accountId: string): Promise<void> {
    let deleted = deleteMax;
    let total = 0;
    while (deleted === deleteMax && !closing) {
      deleted = (await pool.query(deleteSurplus([accountId, max, deleteMax]))).rowCount ?? 0;
      total += deleted;
    }
    if (total > 0) logger.info({ accountId, deleted: total, max }, 'deleted open checkouts above the limit');
    openingsBounded.announce(() => ({ accountId, deleted: total }));
  }

  return {
    opened: (accountId) => {
      const count = (openedSince.get(accountId) ?? 0) + 1;
      if (count < checkedEvery) return void openedSince.set(accountId, count);
      openedSince.delete(accountId);
      running = running
        .then(() => (closing ? undefined : enforce(accountId)))
        .catch((err: unknown) =>
          logger.warn({ err, accountId }, 'open checkouts above the limit could not be deleted'),
        );
    },
    close: async () => {
      closing = true;
      await running;
    },
  };
}
