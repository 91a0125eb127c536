/** What a delivery keeps, whichever table it was in. */
const kept = 'id, event_id, endpoint_id, account_id, event_name, test, attempts, created_at';

/** What a delivery gets as it becomes `pending`: expressions, of parameters and of the columns that it keeps. */
interface Pending {
  /** When it is due; the oldest goes first. */
  readonly at: string;
  readonly priority: string | number;
  /** The recovery that counts it; `null` for none. */
  readonly recoveryId: string;
}

/*
 * Parts of statements by which a delivery waits to be sent that was lost, had ended, was held, or was never made for a stored
 * event. It is due, the attempts that were made keep their numbers, and the schedule begins anew.
 */

/**
 * Stores deliveries that are in no table.
 * @param from where the rows are, with what they keep
 */
export const insertPending = (from: string, { at, priority, recoveryId }: Pending): string =>
  `insert into deliveries (${kept}, status, due, next_attempt_at, priority, recovery_id, attempts_before_schedule)
   select ${kept}, 'pending', true, ${at}, ${priority}, ${recoveryId}, attempts from ${from}`;

/** What an update of `deliveries` sets: they wait for their next attempt, or are held. */
export const setPending = ({ at, priority, recoveryId }: Pending): string =>
  `status = 'pending', held_reason = null, due = true, next_attempt_at = ${at}, priority = ${priority},
   recovery_id = ${recoveryId}, attempts_before_schedule = attempts`;

/**
 * Moves finished deliveries of the account `$1` back. An earlier recovery that counts one of them keeps its result in its own
 * row from now on (0001-initial/endpoints.ts).
 * @param which a condition on `finished_deliveries`
 */
export const movePending = (which: string, pending: Pending): string => `moved as (
     delete from finished_deliveries where account_id = $1 and ${which}
     returning ${kept}, status, recovery_id
   ), counted as (
     update recoveries r set delivered = r.delivered + m.delivered, failed = r.failed + m.failed
     from (
       select recovery_id, count(*) filter (where status = 'delivered')::int as delivered,
         count(*) filter (where status = 'failed')::int as failed
       from moved where recovery_id is not null group by recovery_id) m
     where r.id = m.recovery_id and r.account_id = $1 and not r.counts_final
   )
   ${insertPending('moved', pending)}`;
