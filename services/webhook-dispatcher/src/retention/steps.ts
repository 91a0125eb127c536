import { type IdKind, idFloor } from '@app/contracts/ids';
import { statement } from '@app/service-kit/database';

/** Bodies and response excerpts, which may hold personal data. */
export const bodyKeepDays = 30;
/** Attempts and notices: 13 months, so that a month can be compared with the same month a year ago. */
export const recordKeepDays = 396;
/** Attempts are read together with their delivery, so it outlives its last attempt, which is up to 30 days younger. */
export const deliveryKeepDays = recordKeepDays + bodyKeepDays + 1;

/**
 * One step of the retention. `text` has three parameters: the id of the last row done, the cutoff id before which rows
 * are expired, and the number of rows to look at. It returns `last`, the id of the last row done now; null when there
 * was none.
 */
export interface Step {
  readonly name: string;
  readonly kind: IdKind;
  readonly keepDays: number;
  readonly text: string;
}

/**
 * A delivery that still waits is given up before its body is cleared, and Recent activity says so. A delivery that is in
 * flight, or was claimed at this moment, ends the batch: the next run continues with it.
 */
const giveUpWaiting = `with batch as (
    select id, status from deliveries where id > $1 and id < $2 order by id limit $3
  ), given_up as (
    update deliveries d set status = 'failed' from batch b
    where d.id = b.id and b.status in ('pending', 'held') and d.status in ('pending', 'held')
    returning d.id, d.account_id, d.endpoint_id, d.created_at
  ), passed as (
    select max(id) as last from batch where id < all (
      select b.id from batch b where b.status in ('pending', 'held', 'sending')
        and not exists (select from given_up g where g.id = b.id))
  )
  select p.last, g.account_id, e.url, count(g.id)::int as count, min(g.created_at) as oldest, max(g.created_at) as newest
  from passed p left join given_up g on true left join endpoints e on e.id = g.endpoint_id and e.account_id = g.account_id
  group by p.last, g.account_id, g.endpoint_id, e.url`;

/** Clears only bodies that the step before has passed, because no delivery waits for those. */
const clearBodies = `with batch as (
    select id, event_id, account_id from deliveries
    where id > $1 and id < $2 and id <= (select done_until from retention where step = 'give-up-waiting')
    order by id limit $3
  ), cleared as (
    update events e set body = '' from (select distinct event_id, account_id from batch) b
    where e.id = b.event_id and e.account_id = b.account_id and e.body <> ''
  )
  select max(id) as last from batch`;

const clearExcerpts = `with batch as (
    select id, account_id from attempts where id > $1 and id < $2 order by id limit $3
  ), cleared as (
    update attempts a set response_excerpt = null from batch b
    where a.account_id = b.account_id and a.id = b.id and a.response_excerpt is not null
  )
  select max(id) as last from batch`;

const deleteFrom = (table: 'attempts' | 'notices') => `with batch as (
    select id, account_id from ${table} where id > $1 and id < $2 order by id limit $3
  ), deleted as (
    delete from ${table} t using batch b where t.account_id = b.account_id and t.id = b.id
  )
  select max(id) as last from batch`;

const deleteDeliveries = `with batch as (
    select id, event_id, account_id from deliveries
    where id > $1 and id < $2 and id <= (select done_until from retention where step = 'give-up-waiting')
    order by id limit $3
  ), deleted as (
    delete from deliveries d using batch b where d.id = b.id
  ), events_deleted as (
    delete from events e using (select distinct event_id, account_id from batch) b
    where e.id = b.event_id and e.account_id = b.account_id
  )
  select max(id) as last from batch`;

/** The order matters: each step relies on the one before. */
export const steps: readonly Step[] = [
  { name: 'give-up-waiting', kind: 'delivery', keepDays: bodyKeepDays, text: giveUpWaiting },
  { name: 'clear-bodies', kind: 'delivery', keepDays: bodyKeepDays, text: clearBodies },
  { name: 'clear-excerpts', kind: 'attempt', keepDays: bodyKeepDays, text: clearExcerpts },
  { name: 'delete-attempts', kind: 'attempt', keepDays: recordKeepDays, text: deleteFrom('attempts') },
  { name: 'delete-notices', kind: 'notice', keepDays: recordKeepDays, text: deleteFrom('notices') },
  { name: 'delete-deliveries', kind: 'delivery', keepDays: deliveryKeepDays, text: deleteDeliveries },
];

const dayMs = 24 * 60 * 60 * 1000;

/** Rows with a smaller id are expired at `nowMs`. */
export const cutoffId = (step: Step, nowMs: number): string => idFloor(step.kind, nowMs - step.keepDays * dayMs);

export const stepStatement = (step: Step) => statement(`retention-${step.name}`, step.text);
