import { type Database, statement } from '@app/service-kit/database';
import { columnsOf, namesOf, tableOf } from '@app/service-kit/row-arrays';
import type { Attempt } from './attempt.ts';
import { attemptColumns, besideAttemptColumns, holdsLease, insertResponses } from './attempt-columns.ts';
import { insertFinished, keptColumnsExceptAttempts } from './finish-deliveries.ts';

const columns = { ...attemptColumns, ...besideAttemptColumns } as const;
const deliveryIdColumn = Object.keys(columns).indexOf('delivery_id');

/**
 * Records attempts that delivered, which nearly all do, and moves their deliveries to another table: a statement
 * that reads nothing of endpoints costs less than that of record-failed.ts. What is said there of leases and of repeating
 * it holds here, too.
 */
const recordStatement = statement(
  'attempts-record-delivered',
  `with attempt as materialized (
     select * from ${tableOf(columns, 3)}
   ), ended as (
     delete from deliveries d using attempt a
     where d.id = any ($1::text[]) and ${holdsLease}
     returning ${keptColumnsExceptAttempts}, a.number as attempts, a.created_at as finished_at
   ), finished as (${insertFinished('ended', { status: `'delivered'`, reason: 'null', at: 'finished_at' })}
   ), recovered as (
     delete from failing_endpoints where endpoint_id = any ($2::text[])
   ), responses as (${insertResponses}
   )
   insert into attempts (${namesOf(attemptColumns)}, outcome)
   select ${namesOf(attemptColumns)}, 'delivered' from attempt order by account_id, id
   on conflict do nothing`,
);

/** @param endpointIds those of the attempts, in order */
export async function recordDelivered(
  database: Database,
  attempts: readonly Attempt[],
  endpointIds: readonly string[],
): Promise<void> {
  const arrays = columnsOf(attempts, columns);
  await database.pool.query(recordStatement([arrays[deliveryIdColumn], endpointIds, ...arrays]));
}
