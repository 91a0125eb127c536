import { createHash } from 'node:crypto';
import { idPrefixes, idSuffixOf } from '@app/contracts/ids';
import { type Client, statement } from '@app/service-kit/database';
import { columnsOf, namesOf, tableOf } from '@app/service-kit/row-arrays';
import { priorities } from '../deliveries/priority.rules.ts';
import type { Partitions } from '../storage/partitions.ts';
import type { EnqueuedBatch, SpanBatch } from './enqueue-stored.ts';
import { insertPending } from './pending-sql.ts';
import { idsSince } from './position.rules.ts';

/** Events scanned in one transaction, which takes about 10 ms when none of them is missing. */
const eventsMax = 1_000;

/**
 * The next events of the account that happened in the span and have no delivery for the endpoint; what was scanned is
 * in every row.
 */
const missingStatement = statement<MissingRow>(
  'recovery-missing',
  `with scanned as (
     select id, name, sequence, test, occurred_at, stored_at, endpoint_ids from events
     where account_id = $1 and id > $3 and id < $4 order by id limit ${eventsMax}
   ), missing as (
     select * from scanned
     where sequence is not null and $2 <> all (endpoint_ids) and ($5::text[] is null or name = any ($5))
       and occurred_at >= $7 and occurred_at < $8
     order by id limit $6
   ), kept as (
     select event_id from event_bodies
     where account_id = $1 and event_id = any (array(select id from missing)) and event_id > $3 and event_id < $4
   )
   select m.id, m.name, m.sequence, m.test, m.stored_at, m.id = any (array(select event_id from kept)) as is_kept, l.last, l.count
   from (select max(id) as last, count(*)::int as count from scanned) l left join missing m on true
   order by m.id`,
  {
    id: 'text',
    name: 'text',
    sequence: 'int8',
    test: 'bool',
    stored_at: 'timestamptz',
    is_kept: 'bool',
    last: 'text',
    count: 'int4',
  },
);

const madeTypes = { id: 'text', event_id: 'text', event_name: 'text', test: 'bool', created_at: 'timestamptz' };

/** An event names its deliveries, so both are written together (decision 0033, Conservation). */
const makeStatement = statement(
  'recovery-make',
  `with made as (
     select * from ${tableOf(madeTypes, 5)}
   ), named as (
     update events e set delivery_ids = e.delivery_ids || m.id, endpoint_ids = e.endpoint_ids || $2::text
     from made m
     where e.account_id = $1 and e.id = any (array(select event_id from made)) and e.id = m.event_id
       and $2 <> all (e.endpoint_ids)
     returning e.id
   )
   ${insertPending(
     `(select ${namesOf(madeTypes, 'm')}, 0 as attempts, $1 as account_id, $2::text as endpoint_id
       from made m join named n on n.id = m.event_id) missing`,
     { at: 'least(created_at, $4::timestamptz)', priority: priorities.resent, recoveryId: '$3' },
   )}`,
);

interface MissingRow {
  readonly id: string | null;
  readonly name: string;
  /** In the account's log. */
  readonly sequence: number;
  readonly test: boolean;
  readonly stored_at: Date;
  /** Whether its body is kept, without which nothing can be sent. */
  readonly is_kept: boolean;
  readonly last: string | null;
  readonly count: number;
}

/** Makes and enqueues deliveries for events that are older than the endpoint. */
export async function enqueueMissing(
  client: Client,
  partitions: Partitions,
  batch: SpanBatch & { readonly endpointMadeAt: Date },
): Promise<EnqueuedBatch> {
  const { accountId, endpointId, recoveryId, after, names, count, now, span } = batch;
  const ids = [after, earlierOf(span.eventIds[1], idsSince(batch.endpointMadeAt))];
  const { rows } = await client.query(
    missingStatement([accountId, endpointId, ...ids, names, count, span.since, span.before]),
  );
  const missing = rows.filter((row) => row.id !== null) as (MissingRow & { readonly id: string })[];
  const made = missing
    .filter((event) => event.is_kept)
    .map((event) => ({
      id: deliveryIdOf(event, endpointId),
      event_id: event.id,
      event_name: event.name,
      test: event.test,
      created_at: event.stored_at,
    }));
  if (made.length > 0) {
    // They will be finished in the partition of their ids.
    await partitions.cover(made.map(({ id }) => id));
    await client.query(makeStatement([accountId, endpointId, recoveryId, now, ...columnsOf(made, madeTypes)]));
  }
  // A full batch may have skipped events after its last one.
  if (missing.length === count) return { count: made.length, last: missing.at(-1)?.id ?? null, isLast: false };
  const [scanned] = rows as [MissingRow];
  return { count: made.length, last: scanned.last, isLast: scanned.count < eventsMax };
}

const earlierOf = (one: string, other: string): string => (one < other ? one : other);

/**
 * A delivery's id has the time at which its event was stored, so it stands in lists, and expires, with its event's other
 * deliveries. Within a millisecond, in which hundreds of events may be stored, the event's position in the log orders them,
 * whichever batch they are enqueued in.
 */
function deliveryIdOf({ id, sequence, stored_at: storedAt }: MissingRow & { readonly id: string }, endpointId: string) {
  const entropy = createHash('sha256').update(id).update(endpointId).digest();
  // The 26 bits after the time, between those that every UUID has: 4 + 8 in the first two bytes, 6 and 8 in the next.
  entropy.writeUInt16BE(Math.floor(sequence / 2 ** 14) % 2 ** 12, 0);
  entropy.writeUInt8(Math.floor(sequence / 2 ** 8) % 2 ** 6, 2);
  entropy.writeUInt8(sequence % 2 ** 8, 3);
  return `${idPrefixes.delivery}_${idSuffixOf(storedAt.getTime(), entropy)}`;
}
