import { limits } from '@app/contracts/common';
import type { RequestInput } from '@app/contracts/define';
import { idFloor, idPrefixes } from '@app/contracts/ids';
import type * as contract from '@app/contracts/webhook-deliveries';
import { type Client, type Database, statement } from '@app/service-kit/database';
import { inOneSnapshot } from '@app/service-kit/one-snapshot';
import { pageOf, unknownBefore } from '@app/service-kit/paging';
import { byNoIndex } from '@app/service-kit/planner';
import { checkSpan, type EventDeliveries, eventBounds, eventsNamed, namesEvents } from '../history/event-deliveries.ts';
import { attemptRangesOf, inRange, rareRows } from '../history/index-ranges.rules.ts';
import { afterAllIdsAndSuffixes } from '../storage/index-scans.ts';
import {
  type ActivityEntry,
  type ActivityList,
  type AttemptRow,
  attemptColumns,
  attemptEntry,
  attemptsStatement,
} from './attempt-rows.ts';
import { bodiesOf } from './event-bodies.ts';
import { listNotices } from './list-notices.ts';

type Query = RequestInput<typeof contract.listActivity>;

const ofPage = `a.account_id = $1 and a.id < 'att_' || $2 and a.id >= 'att_' || $3`;
const newestFirst = 'order by a.id desc limit $4';
const failed = `(a.outcome is distinct from 'delivered')`;
const bound = (param: string): string => `'att_' || ${param}`;
const newest = (where: string): string =>
  `select ${attemptColumns} from attempts a where ${where} and ${ofPage} ${newestFirst}`;

const everyStatement = attemptsStatement('activity-page', newest('true'));
const inRanges = (columns: string, limit = '$4') =>
  `select a.* from unnest($5::text[], $6::boolean[]) as wanted (name, failed) cross join lateral (
     select ${columns} from attempts a
     where ${ofPage} and ${inRange(['a.event_name', failed], ['wanted.name', 'wanted.failed'], 'a.id', { bound, limit })}) a`;
const rangesStatement = attemptsStatement('activity-page-of-ranges', `${inRanges(attemptColumns)} ${newestFirst}`);
/** How many rows there are, up to `$4`. */
const countStatement = statement<{ count: number }>(
  'activity-count-of-ranges',
  `select count(*)::int as count from (${inRanges('a.id')} limit $4) found`,
  { count: 'int4' },
);
/** All rows of the event are read, whatever the planner believes, and those of the endpoint kept. */
const rareEventStatement = attemptsStatement(
  'activity-page-of-endpoint-and-rare-event',
  `${inRanges(attemptColumns, '$8')} where a.endpoint_id = $7 ${newestFirst}`,
);
/** The rows in the index of events are mostly those of other endpoints. */
const endpointStatement = attemptsStatement(
  'activity-page-of-endpoint',
  `select a.* from unnest($6::boolean[]) as wanted (failed) cross join lateral (
     select ${attemptColumns} from attempts a where a.endpoint_id = $5 and ${byNoIndex('a.event_name = $7')}
       and ${ofPage} and ${inRange([failed], ['wanted.failed'], 'a.id', { bound })}) a
   ${newestFirst}`,
);
/** The newest attempts of each delivery that is named. */
const ofDeliveries = `select a.*, wanted.event_id as of_event
   from unnest($5::text[], $6::text[]) as wanted (event_id, delivery_id) cross join lateral (
     ${newest(`a.delivery_id = wanted.delivery_id and ($7::boolean is null or ${failed} = $7)
       and ($8::text is null or a.endpoint_id = $8) and ($9::text is null or a.event_name = $9)`)}) a`;
const orderStatement = attemptsStatement('activity-of-deliveries', `${ofDeliveries} ${newestFirst}`, {
  beside: { of_event: 'text' },
});
const buyerStatement = attemptsStatement(
  'activity-of-deliveries-by-event',
  `${ofDeliveries} order by wanted.event_id desc, a.id desc limit $4`,
  { order: 'p.of_event desc, p.id desc', beside: { of_event: 'text' } },
);

const knownStatement = statement<{ event_id: string }>(
  'activity-known',
  `select (
     select event_id from deliveries where account_id = $1 and id = a.delivery_id
     union all select event_id from finished_deliveries where account_id = $1 and id = a.delivery_id) as event_id
   from attempts a where account_id = $1 and id = $2
   union all select null from notices where account_id = $1 and id = $2`,
  { event_id: 'text' },
);

/** Ids are a prefix and a suffix that begins with their time, so suffixes order the rows of both tables. */
const suffixOf = (id: string): string => id.slice(4);
const floorOf = (time: string): string => suffixOf(idFloor('attempt', Date.parse(time)));

type SuffixRange = readonly [below: string, from: string];
/** What a page's suffixes are below, and from where on. */
function suffixRange({ before, from, to }: Pick<Query, 'before' | 'from' | 'to'>): SuffixRange {
  const end = to === undefined ? afterAllIdsAndSuffixes : floorOf(to);
  const below = before === undefined || suffixOf(before) > end ? end : suffixOf(before);
  return [below, from === undefined ? '' : floorOf(from)];
}

/**
 * Lists the account's Recent activity, newest first: attempts and notices. What is narrowed to a buyer (`email`) comes
 * by its events, newest first, because a buyer may have a million of them.
 * @throws DomainError validation_failed when `before` is no entry of the account, or `to` is before `from`
 */
export async function listActivity(database: Database, accountId: string, query: Query): Promise<ActivityList> {
  checkSpan(query);
  const { before } = query;
  const known = before === undefined ? undefined : await database.pool.query(knownStatement([accountId, before]));
  if (known?.rowCount === 0) throw unknownBefore();
  const [attempts, notices] = await Promise.all([
    attemptsOf(database, accountId, { ...query, beforeEvent: known?.rows[0]?.event_id ?? undefined }),
    hasNotices(query) ? noticesOf(database, accountId, query) : [],
  ]);
  const bodies = await bodiesOf(
    database,
    accountId,
    attempts.map(({ event_id }) => event_id),
  );
  const entries = attempts.map((row) => attemptEntry(row, bodies.get(row.event_id ?? '')));
  return pageOf(notices.length === 0 ? entries : mergeNewest(entries, notices), query);
}

function mergeNewest(attempts: readonly ActivityEntry[], notices: readonly ActivityEntry[]): ActivityEntry[] {
  const newerFirst = (a: ActivityEntry, b: ActivityEntry) => (suffixOf(a.id) < suffixOf(b.id) ? 1 : -1);
  return [...attempts, ...notices].sort(newerFirst);
}

/** A notice is about an order or an endpoint at most. */
const hasNotices = ({ status, event, eventId, email }: Query): boolean =>
  (status === undefined || status === 'notice') && [event, eventId, email].every((filter) => filter === undefined);

async function noticesOf(database: Database, accountId: string, query: Query): Promise<ActivityEntry[]> {
  const { limit = limits.listMax } = query;
  const [below, from] = suffixRange(query).map((suffix) => `${idPrefixes.notice}_${suffix}`) as [string, string];
  return await listNotices(database, accountId, { below, from, limit: limit + 1 }, query);
}

/** With the event of the entry that it lists from, where that is an attempt. */
type LocatedQuery = Query & { readonly beforeEvent: string | undefined };

type Reader = Pick<Client, 'query'>;

async function attemptsOf(database: Database, accountId: string, query: LocatedQuery): Promise<AttemptRow[]> {
  const { status, event, endpointId, limit = limits.listMax } = query;
  if (status === 'notice') return [];
  if (query.eventId !== undefined || query.orderId !== undefined)
    return await attemptsOfFew(database, accountId, query);
  if (namesEvents(query)) return await attemptsOfBuyer(database, accountId, query);
  const page = [accountId, ...suffixRange(query), limit + 1];
  const ranges = attemptRangesOf({ status, event });
  const read = async (reader: Reader, text: ReturnType<typeof attemptsStatement>, values: unknown[]) =>
    (await reader.query(text([...page, ...values]))).rows;
  const wanted = [ranges.names, ranges.failed];
  if (endpointId !== undefined) {
    const ofEndpoint = [endpointId, [...new Set(ranges.failed)], event ?? null];
    if (event === undefined) return await read(database.pool, endpointStatement, ofEndpoint);
    return await inOneSnapshot(database, async (client) => {
      const { rows } = await client.query(countStatement([...page.slice(0, 3), rareRows + 1, ...wanted]));
      return (rows[0]?.count ?? 0) <= rareRows
        ? await read(client, rareEventStatement, [...wanted, endpointId, rareRows])
        : await read(client, endpointStatement, ofEndpoint);
    });
  }
  if (status === undefined && event === undefined) return await read(database.pool, everyStatement, []);
  return await read(database.pool, rangesStatement, wanted);
}

/** An order has few events: the newest attempts of all are read, and merged. */
async function attemptsOfFew(database: Database, accountId: string, query: Query): Promise<AttemptRow[]> {
  const found: AttemptRow[] = [];
  for await (const events of eventsNamed(database, accountId, query, eventBounds(query)))
    found.push(
      ...(await attemptsOfEvents(database, orderStatement, accountId, { query, events, range: suffixRange(query) })),
    );
  return found.sort((a, b) => (a.id < b.id ? 1 : -1));
}

async function attemptsOfBuyer(database: Database, accountId: string, query: LocatedQuery): Promise<AttemptRow[]> {
  const { before, beforeEvent, from, to, limit = limits.listMax } = query;
  const bounds = { ...eventBounds({ from, to }), ...(beforeEvent === undefined ? {} : { newest: beforeEvent }) };
  const [end, lowest] = suffixRange({ from, to });
  const read = (events: readonly EventDeliveries[], range: SuffixRange) =>
    attemptsOfEvents(database, buyerStatement, accountId, { query, events, range });
  const found: AttemptRow[] = [];
  for await (const events of eventsNamed(database, accountId, query, bounds)) {
    // Of the event of `before` only the older attempts follow; of the events before it all do.
    const same = events.filter(({ id }) => id === beforeEvent);
    if (same.length > 0) found.push(...(await read(same, suffixRange({ before, from, to }))));
    const older = events.filter(({ id }) => id !== beforeEvent);
    found.push(...(await read(older, [end, lowest])));
    if (found.length > limit) break;
  }
  return found;
}

async function attemptsOfEvents(
  database: Database,
  text: ReturnType<typeof attemptsStatement>,
  accountId: string,
  wanted: { query: Query; events: readonly EventDeliveries[]; range: SuffixRange },
): Promise<AttemptRow[]> {
  const { status, endpointId, event, limit = limits.listMax } = wanted.query;
  const eventIds = wanted.events.flatMap(({ id, deliveryIds }) => deliveryIds.map(() => id));
  const deliveryIds = wanted.events.flatMap((each) => each.deliveryIds);
  const isFailed = status === undefined ? null : status === 'failed';
  const page = [accountId, ...wanted.range, limit + 1];
  const values = [...page, eventIds, deliveryIds, isFailed, endpointId ?? null, event ?? null];
  return (await database.pool.query(text(values))).rows;
}
