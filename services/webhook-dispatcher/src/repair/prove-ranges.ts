import { type Client, statement } from '@app/service-kit/database';
import { computedFirst } from '@app/service-kit/planner';
import { missingFrom, type Range } from './conservation.rules.ts';

export const statuses = ['pending', 'sending', 'held', 'delivered', 'filtered', 'failed', 'canceled'] as const;
type Status = (typeof statuses)[number];

/** What the proof of a range found. */
export interface Proof {
  readonly range: Range;
  readonly events: number;
  /** Deliveries that the events name. */
  readonly deliveries: number;
  readonly counts: Readonly<Record<Status, number>>;
  /** Deliveries that the events name and that have no row. */
  readonly lost: readonly LostRow[];
  /** Numbers without an event. */
  readonly lostEvents: readonly number[];
}

export interface LostRow {
  readonly id: string;
  readonly event_id: string;
  readonly endpoint_id: string;
}

/**
 * Reads ranges of accounts' logs, and the row of each delivery that their events name, by its key.
 *
 * One statement sees one snapshot, and three rules of this service make that enough, whatever is committed meanwhile:
 * - an event, its number in `account_logs` and its deliveries are stored by one transaction. The row lock on the account's
 *   log makes the numbers follow the commits, so every number up to the last one that was read belongs to an event that is
 *   committed.
 * - a delivery moves between `deliveries` and `finished_deliveries`, in either direction, in one transaction, so no
 *   snapshot has it in neither.
 * - what adds a delivery to a stored event names it in the event in the same transaction.
 *
 * Scalar subqueries, because the planner never makes a join of them that reads a whole table.
 */
const proveStatement = statement<ProvedRow>(
  'conservation-prove',
  `with range as (
     select account_id, low, high, number
     from unnest($1::text[], $2::bigint[], $3::bigint[]) with ordinality as r (account_id, low, high, number)
   ), event as materialized (
     select r.number, r.account_id, e.id, e.sequence, e.delivery_ids, e.endpoint_ids
     from range r cross join lateral (${computedFirst(`
       select id, sequence, delivery_ids, endpoint_ids from events
       where account_id = r.account_id and sequence > r.low and sequence <= r.high`)}) e
   ), named as materialized (
     select e.number, e.id as event_id, d.id, d.endpoint_id, coalesce(
       (select status from deliveries l where l.id = d.id and l.account_id = e.account_id),
       (select status from finished_deliveries f where f.account_id = e.account_id and f.id = d.id), 'lost') as status
     from event e cross join lateral unnest(e.delivery_ids, e.endpoint_ids) as d (id, endpoint_id)
   ), counted as (
     select number, sum(count)::int as deliveries, json_object_agg(status, count) as counts
     from (select number, status, count(*) as count from named group by number, status) s group by number
   ), lost as (
     select number, json_agg(json_build_object('id', id, 'event_id', event_id, 'endpoint_id', endpoint_id)) as rows
     from named where status = 'lost' group by number
   ), numbered as (
     select number, count(*)::int as events, json_agg(sequence) as sequences from event group by number
   )
   select coalesce(n.events, 0) as events, coalesce(c.deliveries, 0) as deliveries, coalesce(c.counts, '{}') as counts,
     coalesce(l.rows, '[]') as lost,
     case when n.events is distinct from r.high - r.low then coalesce(n.sequences, '[]') end as sequences
   from range r left join numbered n using (number) left join counted c using (number) left join lost l using (number)
   order by r.number`,
  { events: 'int4', deliveries: 'int4', counts: 'json', lost: 'json', sequences: 'json' },
);

interface ProvedRow {
  readonly events: number;
  readonly deliveries: number;
  readonly counts: Readonly<Partial<Record<Status, number>>>;
  readonly lost: readonly LostRow[];
  /** Null when every number has its event. */
  readonly sequences: readonly number[] | null;
}

/** Proves ranges that together have at most a few thousand events. Changes nothing. */
export async function proveRanges(client: Client, ranges: readonly Range[]): Promise<Proof[]> {
  const accountIds = ranges.map(({ accountId }) => accountId);
  const lows = ranges.map(({ low }) => low);
  const highs = ranges.map(({ high }) => high);
  const { rows } = await client.query(proveStatement([accountIds, lows, highs]));
  return rows.map(({ events, deliveries, counts, lost, sequences }, index) => {
    const range = ranges[index] as Range;
    const countOf = (status: Status) => counts[status] ?? 0;
    return {
      range,
      events,
      deliveries,
      lost,
      counts: Object.fromEntries(statuses.map((status) => [status, countOf(status)])) as Record<Status, number>,
      lostEvents: sequences === null ? [] : missingFrom(range, sequences),
    };
  });
}
