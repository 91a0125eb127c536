import { limits } from '@app/contracts/common';
import type { RequestInput, RequestOutput } from '@app/contracts/define';
import { idFloor } from '@app/contracts/ids';
import type * as contract from '@app/contracts/webhook-deliveries';
import { type Client, type Database, statement } from '@app/service-kit/database';
import { inOneSnapshot } from '@app/service-kit/one-snapshot';
import { pageOf, unknownBefore } from '@app/service-kit/paging';
import { byNoIndex, computedFirst } from '@app/service-kit/planner';
import { afterAllIdsAndSuffixes } from '../storage/index-scans.ts';
import {
  deliveriesById,
  deliveriesStatement,
  deliveryResource,
  finishedColumns,
  type ListedDeliveryRow,
  liveColumns,
} from './delivery-rows.ts';
import { checkSpan, eventBounds, eventsNamed, namesEvents } from './event-deliveries.ts';
import { inRange, rangesOf, rareRows, rareWaitingRows } from './index-ranges.rules.ts';

type Query = RequestInput<typeof contract.listDeliveries>;
type DeliveryList = RequestOutput<typeof contract.listDeliveries>;

/*
 * Parameters of the statements of a page: $1 the account, $2 and $3 bound the ids (below the first, from the second), $4 how
 * many rows.
 * - all and ranges: $5 and $6 pairs of a status and an event's name of deliveries with work to do (arrays of equal length)
 * - ranges: $7 and $8 the same of finished ones
 * - of an endpoint and a rare event, besides: $9 the endpoint, $10 and $11 how many rows the event has at most
 * - of an endpoint: $5 the endpoint, $6 statuses, $7 an event's name or null
 * That of named events: $1 the account, $2 ids, $3 how many rows, $4 a status, $5 an endpoint, $6 an event's name (each may
 * be null), $7 and $8 bound the ids as above.
 */
const ofPage = 'd.account_id = $1 and d.id < $2 and d.id >= $3';
const newestPage = 'order by d.id desc limit $4';
/** Conditions on the id alone are for partitions; without them the planner cannot walk along the ids of all accounts. */
const inFinishedRange = (limit: string) =>
  inRange(['d.status', 'd.event_name'], ['wanted.status', 'wanted.name'], 'd.id', { limit });
/** The rows in the index of events are mostly those of other endpoints. */
const ofEvent = byNoIndex('d.event_name = $7');
const ofEndpoint = `d.account_id = $1 and d.endpoint_id = $5 and ${ofEvent}`;
const inEndpointRange = inRange(['d.status'], ['wanted.status'], 'd.id');
/**
 * The account is a part of the range: only the index that begins with it has such ranges. With a condition of its own the planner
 * took the index of statuses for as good while one account had nearly all that waits, and read all of that for each range.
 */
const waitingInRanges = (columns: string, limit = '$4') =>
  `select d.* from unnest($5::text[], $6::text[]) as wanted (status, name) cross join lateral (
    select ${columns} from deliveries d
    where d.status in ('pending', 'held') and ${inRange(
      ['d.account_id', 'd.status', 'd.event_name'],
      ['$1', 'wanted.status', 'wanted.name'],
      'd.id',
      { limit },
    )}) d`;
const finishedInRanges = (columns: string, limit = '$4') =>
  `select d.* from unnest($7::text[], $8::text[]) as wanted (status, name) cross join lateral (
    select ${columns} from finished_deliveries d where ${ofPage} and ${inFinishedRange(limit)}) d`;
/** An account has few deliveries in flight: they are found first and sorted afterwards. */
const inFlight = `select d.* from (
    ${computedFirst(`select ${liveColumns} from deliveries d where d.account_id = $1 and d.status = 'sending'`)}) d
  where d.id < $2 and d.id >= $3`;
const inFlightOfNames = `${inFlight} and d.status = any ($5::text[]) and d.event_name = any ($6::text[])`;
const merge = (...parts: string[]): string =>
  `select d.* from (${parts.map((part) => `(${part})`).join(' union all ')}) d ${newestPage}`;

const everyStatement = deliveriesStatement(
  'deliveries-page',
  merge(
    waitingInRanges(liveColumns),
    `${inFlightOfNames} ${newestPage}`,
    `select ${finishedColumns} from finished_deliveries d where ${ofPage} ${newestPage}`,
  ),
);
const rangesStatement = deliveriesStatement(
  'deliveries-page-of-ranges',
  merge(waitingInRanges(liveColumns), `${inFlightOfNames} ${newestPage}`, finishedInRanges(finishedColumns)),
);
/** How many rows there are, up to `$4` of those that wait and `$9` of finished ones. */
const countStatement = statement<{ waiting: number; finished: number }>(
  'deliveries-count-of-ranges',
  `select (select count(*)::int from (${waitingInRanges('d.id')} limit $4) d) as waiting,
     (select count(*)::int from (${finishedInRanges('d.id', '$9')} limit $9) d) as finished`,
  { waiting: 'int4', finished: 'int4' },
);
/** All rows of the event are read, whatever the planner believes, and those of the endpoint kept. */
const rareEventStatement = deliveriesStatement(
  'deliveries-page-of-endpoint-and-rare-event',
  merge(
    `${waitingInRanges(liveColumns, '$10')} where d.endpoint_id = $9`,
    `${inFlightOfNames} and d.endpoint_id = $9`,
    `${finishedInRanges(finishedColumns, '$11')} where d.endpoint_id = $9`,
  ),
);

const endpointStatement = deliveriesStatement(
  'deliveries-page-of-endpoint',
  merge(
    `select d.* from unnest($6::text[]) as wanted (status) cross join lateral (
      select ${liveColumns} from deliveries d where d.status in ('pending', 'held') and ${ofEndpoint} and ${inEndpointRange}) d`,
    `${inFlight} and d.status = any ($6::text[]) and d.endpoint_id = $5 and ${ofEvent}
     ${newestPage}`,
    `select d.* from unnest($6::text[]) as wanted (status) cross join lateral (
      select ${finishedColumns} from finished_deliveries d where ${ofEndpoint} and ${ofPage} and ${inEndpointRange}) d`,
  ),
);

const byIdsStatement = deliveriesStatement(
  'deliveries-page-of-events',
  `select d.*, wanted.position from unnest($2::text[]) with ordinality as wanted (id, position) ${deliveriesById}
   where ($4::text is null or d.status = $4) and ($5::text is null or d.endpoint_id = $5)
     and ($6::text is null or d.event_name = $6) and d.id < $7 and d.id >= $8
   order by wanted.position limit $3`,
  { order: 'p.position', beside: { position: 'int8' } },
);

const knownStatement = statement<{ event_id: string }>(
  'deliveries-known',
  `select event_id from deliveries where account_id = $1 and id = $2
   union all select event_id from finished_deliveries where account_id = $1 and id = $2`,
  { event_id: 'text' },
);

/**
 * Lists the account's deliveries, newest first; those of named events (`eventId`, `orderId`, `email`) by their events,
 * newest first. A page reads about as many rows as it has, of each range (index-ranges.rules.ts).
 * @throws DomainError validation_failed when `before` is no delivery of the account, or `to` is before `from`
 */
export async function listDeliveries(database: Database, accountId: string, query: Query): Promise<DeliveryList> {
  checkSpan(query);
  const { before } = query;
  const known = before === undefined ? undefined : await database.pool.query(knownStatement([accountId, before]));
  if (known?.rowCount === 0) throw unknownBefore();
  const rows = namesEvents(query)
    ? await deliveriesOfEvents(database, accountId, query, known?.rows[0]?.event_id)
    : await newestDeliveries(database, accountId, query);
  const { data, ...rest } = pageOf(rows, query);
  return { data: data.map(deliveryResource), ...rest };
}

/** The ids that the page's rows have: below the first, from the second. */
function idRange({ before, from, to }: Query): [below: string, from: string] {
  const end = to === undefined ? afterAllIdsAndSuffixes : idFloor('delivery', Date.parse(to));
  const below = before === undefined || before > end ? end : before;
  return [below, from === undefined ? '' : idFloor('delivery', Date.parse(from))];
}

type Reader = Pick<Client, 'query'>;

async function newestDeliveries(database: Database, accountId: string, query: Query): Promise<ListedDeliveryRow[]> {
  const { status, event, endpointId, limit = limits.listMax } = query;
  const page = [accountId, ...idRange(query), limit + 1];
  const { live, finished } = rangesOf({ status, event });
  const ranges = [live.statuses, live.names, finished.statuses, finished.names];
  const read = async (reader: Reader, text: ReturnType<typeof deliveriesStatement>, values: unknown[]) =>
    (await reader.query(text([...page, ...values]))).rows;
  if (endpointId !== undefined) {
    const statuses = [...new Set([...live.statuses, ...finished.statuses])];
    const ofEndpointValues = [endpointId, statuses, event ?? null];
    if (event === undefined) return await read(database.pool, endpointStatement, ofEndpointValues);
    return await inOneSnapshot(database, async (client) =>
      (await isRare(client, page, ranges))
        ? await read(client, rareEventStatement, [...ranges, endpointId, rareWaitingRows, rareRows])
        : await read(client, endpointStatement, ofEndpointValues),
    );
  }
  if (status === undefined && event === undefined) return await read(database.pool, everyStatement, ranges.slice(0, 2));
  return await read(database.pool, rangesStatement, ranges);
}

/** Whether the event of the ranges has few rows in the page's bounds. */
async function isRare(reader: Reader, page: readonly unknown[], ranges: readonly unknown[]): Promise<boolean> {
  const values = [...page.slice(0, 3), rareWaitingRows + 1, ...ranges, rareRows + 1];
  const { rows } = await reader.query(countStatement(values));
  return rows.every(({ waiting, finished }) => waiting <= rareWaitingRows && finished <= rareRows);
}

async function deliveriesOfEvents(
  database: Database,
  accountId: string,
  query: Query,
  beforeEvent: string | undefined,
): Promise<ListedDeliveryRow[]> {
  const { status, event, endpointId, before, from, to, limit = limits.listMax } = query;
  const [below, lowest] = idRange({ from, to });
  const bounds = { ...eventBounds({ from, to }), ...(beforeEvent === undefined ? {} : { newest: beforeEvent }) };
  const found: ListedDeliveryRow[] = [];
  for await (const events of eventsNamed(database, accountId, query, bounds)) {
    const ids = events.flatMap(({ id, deliveryIds }) =>
      id === beforeEvent ? deliveryIds.filter((deliveryId) => deliveryId < (before as string)) : deliveryIds,
    );
    const values = [accountId, ids, limit + 1 - found.length, status ?? null, endpointId ?? null, event ?? null];
    const { rows } = await database.pool.query(byIdsStatement([...values, below, lowest]));
    found.push(...rows);
    if (found.length > limit) break;
  }
  return found;
}
