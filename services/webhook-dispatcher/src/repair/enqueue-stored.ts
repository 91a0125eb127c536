import { type Client, statement } from '@app/service-kit/database';
import { isHeld, isHeldForFailing } from '../deliveries/held-for-failing.rules.ts';
import { priorities } from '../deliveries/priority.rules.ts';
import { movePending, setPending } from './pending-sql.ts';
import type { Span } from './position.rules.ts';
import { insertSkipped, isSkipped, skippedColumns } from './skipped.ts';

/** What a batch is taken from, and how much. */
export interface Batch {
  readonly accountId: string;
  readonly endpointId: string;
  readonly recoveryId: string;
  /** Ids up to it are done. */
  readonly after: string;
  /** Names of the events that are sent; null for all. */
  readonly names: readonly string[] | null;
  readonly count: number;
  readonly now: Date;
}

/** A batch of the events of a time. */
export interface SpanBatch extends Batch {
  readonly span: Span;
}

export interface EnqueuedBatch {
  readonly count: number;
  /** The last id that was scanned; null when there was none. */
  readonly last: string | null;
  /** Nothing is left after it. */
  readonly isLast: boolean;
}

/** Recovered deliveries are due since they were made, so they are claimed oldest first, whichever batch they came in. */
const recovered = ({ now }: { readonly now: string }) => ({
  at: `least(created_at, ${now}::timestamptz)`,
  priority: priorities.resent,
  recoveryId: '$3::text',
});

/** Held deliveries that one transaction reads, of which it may leave out all: it takes about 20 ms then. */
const scannedMax = 1_000;

/**
 * `number` counts those that are enqueued up to a delivery, so a batch ends before the first that is too many. What is
 * scanned is not locked: while the endpoint is, only a redelivery or the end of 30 days takes a delivery away, and then
 * it is held no more.
 */
const heldText = (which: string): string => `with scanned as (
     select id, ${isSkipped('d', '$8')} as is_skipped from deliveries d
     where ${which} and endpoint_id = $2 and account_id = $1 and id > $4
       and ($5::text[] is null or event_name = any ($5))
     order by id limit ${scannedMax}
   ), numbered as (
     select id, is_skipped, count(*) filter (where not is_skipped) over (order by id) as number from scanned
   ), batch as (
     select id, is_skipped from numbered where number <= $6
   ), enqueued as (
     update deliveries d set ${setPending(recovered({ now: '$7' }))}
     where d.id = any (array(select id from batch where not is_skipped)) and d.account_id = $1 and d.status = 'held'
     returning d.id
   ), skipped as (
     delete from deliveries d
     where d.id = any (array(select id from batch where is_skipped)) and d.account_id = $1 and d.status = 'held'
     returning ${skippedColumns}
   ), finished as (${insertSkipped('skipped', '$7')}
   )
   select (select count(*) from enqueued)::int as count, (select max(id) from batch) as last,
     (select count(*) from batch) = count(*) and count(*) < ${scannedMax} as "isLast" from scanned`;
const heldTypes = { count: 'int4', last: 'text', isLast: 'bool' } as const;
const heldStatement = statement<EnqueuedBatch>('recovery-held', heldText(isHeld), heldTypes);
const heldForFailingStatement = statement<EnqueuedBatch>(
  'recovery-held-for-failing',
  heldText(isHeldForFailing),
  heldTypes,
);

/**
 * Enqueues deliveries that are held; `failed` are those that are held because nothing reached their endpoint. Those that
 * it passes on the way and that are skipped (skipped.ts) are finished.
 * @param filter names of the events that the endpoint takes; null for all
 */
export async function enqueueHeld(
  client: Client,
  which: 'failed' | 'all' | 'orders',
  batch: Batch,
  filter: readonly string[] | null,
): Promise<EnqueuedBatch> {
  const held = which === 'failed' ? heldForFailingStatement : heldStatement;
  return await run(client, held, [...valuesOf(batch), filter]);
}

/** A table, and a condition on its rows. */
type Part = readonly [table: 'finished_deliveries' | 'deliveries', condition: string];
const finished = (status: string): Part => ['finished_deliveries', `status = '${status}'`];
const waitsForRetry: Part = ['deliveries', `status = 'pending' and not due`];

/** The deliveries that a recovery of a time concerns. Were they counted by another list, its seller would read a total that is not reached. */
export const concerned: Readonly<Record<'failed' | 'all', readonly Part[]>> = {
  failed: [finished('failed'), finished('canceled'), waitsForRetry, ['deliveries', isHeldForFailing]],
  all: [...['delivered', 'failed', 'canceled', 'filtered'].map(finished), waitsForRetry, ['deliveries', isHeld]],
};

const ofPart = ([table, condition]: Part): string => `
     (select id, event_id, '${table}' as stored_in from ${table}
      where ${condition} and endpoint_id = $2 and account_id = $1 and id > $4 and event_id < $8
        and recovery_id is distinct from $3 and ($5::text[] is null or event_name = any ($5))
      order by id limit $6)`;

/**
 * The next deliveries in the order of their ids, whichever table they are in; `is_wanted` is false of those whose body is
 * gone, those of test sends and those of events that happened at another time.
 *
 * Ids go through arrays so that the planner always looks them up by key, and their bounds leave out all other partitions.
 */
const nextText = (which: 'failed' | 'all'): string => `with batch as (
     select * from (${concerned[which].map(ofPart).join(' union all ')}
     ) stored order by id limit $6
   ), own_events as (
     select id from events
     where account_id = $1 and id = any (array(select event_id from batch)) and sequence is not null
       and occurred_at >= $7 and occurred_at < $9
       and id >= (select min(event_id) from batch) and id <= (select max(event_id) from batch)
   ), kept as (
     select event_id from event_bodies
     where account_id = $1 and event_id = any (array(select id from own_events))
       and event_id >= (select min(event_id) from batch) and event_id <= (select max(event_id) from batch)
   )
   select id, stored_in, event_id = any (array(select event_id from kept)) as is_wanted from batch order by id`;

interface NextRow {
  readonly id: string;
  readonly stored_in: Part[0];
  readonly is_wanted: boolean;
}
const nextTypes = { id: 'text', stored_in: 'text', is_wanted: 'bool' } as const;
const nextFailedStatement = statement<NextRow>('recovery-next-failed', nextText('failed'), nextTypes);
const nextOfAllStatement = statement<NextRow>('recovery-next-of-all', nextText('all'), nextTypes);

/** A row that another transaction has locked is being sent or repaired there. */
const hastenStatement = statement(
  'recovery-hasten',
  `with waiting as materialized (
     select id from deliveries where account_id = $1 and id = any ($2::text[]) and status in ('pending', 'held')
     for update skip locked
   )
   update deliveries d set ${setPending(recovered({ now: '$4' }))}
   where d.account_id = $1 and d.id = any (array(select id from waiting))`,
);

/** As above. */
const moveStatement = statement(
  'recovery-move',
  `with locked as materialized (
     select id from finished_deliveries where account_id = $1 and id = any ($2::text[]) and id >= $5 and id <= $6
     for update skip locked
   ), ${movePending('id = any (array(select id from locked)) and id >= $5 and id <= $6', recovered({ now: '$4' }))}`,
);

/**
 * Enqueues stored deliveries: those that failed, were canceled or wait for their next attempt, or all. Those that wait
 * come first: what is moved waits afterwards, too, and would be counted twice.
 */
export async function enqueueStored(client: Client, which: 'failed' | 'all', batch: SpanBatch): Promise<EnqueuedBatch> {
  const { accountId, endpointId, recoveryId, after, names, now, span } = batch;
  const { since, before, eventIds } = span;
  const next = which === 'failed' ? nextFailedStatement : nextOfAllStatement;
  const values = [accountId, endpointId, recoveryId, after, names, batch.count, since, eventIds[1], before];
  const { rows } = await client.query(next(values));
  const wanted = (of: NextRow['stored_in']): string[] =>
    rows.filter((row) => row.is_wanted && row.stored_in === of).map(({ id }) => id);
  const [waiting, finished] = [wanted('deliveries'), wanted('finished_deliveries')];
  let count = 0;
  if (waiting.length > 0)
    count += (await client.query(hastenStatement([accountId, waiting, recoveryId, now]))).rowCount ?? 0;
  if (finished.length > 0) {
    const bounds = [finished[0], finished.at(-1)];
    count += (await client.query(moveStatement([accountId, finished, recoveryId, now, ...bounds]))).rowCount ?? 0;
  }
  return { count, last: rows.at(-1)?.id ?? null, isLast: rows.length < batch.count };
}

const valuesOf = ({ accountId, endpointId, recoveryId, after, names, count, now }: Batch): unknown[] => [
  ...[accountId, endpointId, recoveryId, after, names, count, now],
];

async function run(client: Client, of: typeof heldStatement, values: unknown[]): Promise<EnqueuedBatch> {
  const { rows } = await client.query(of(values));
  return rows[0] as EnqueuedBatch;
}
