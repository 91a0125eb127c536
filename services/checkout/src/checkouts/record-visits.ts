import { checkoutVisited } from '@app/contracts/checkouts';
import type { ProductForSale } from '@app/contracts/products-for-sale';
import { type OutboxRow, outboxColumns, outboxRow, outboxTypes } from '@app/messaging/outbox';
import { statement } from '@app/service-kit/database';
import { namesOf, recordOf } from '@app/service-kit/row-arrays';
import type { Queryable } from './checkout-row.ts';

/** A visitor of a product's page on a day, and the event of the first time; fields are named as the columns. */
export interface Visit extends OutboxRow {
  readonly account_id: string;
  readonly product_id: string;
  /** `2026-01-31` */
  readonly day: string;
  readonly visitor: string;
  readonly test: boolean;
}

export function visitOf(
  { productId, name, pricingType }: ProductForSale,
  visitor: string,
  test: boolean,
  source: { readonly accountId: string; readonly requestId: string; readonly nowMs: number },
): Visit {
  const visitedAt = new Date(source.nowMs).toISOString();
  const data = { productId, productName: name, pricingType, visitedAt, test };
  return {
    ...outboxRow(checkoutVisited, data, source),
    account_id: source.accountId,
    product_id: productId,
    day: visitedAt.slice(0, 10),
    visitor,
    test,
  };
}

const visitTypes = { account_id: 'text', product_id: 'text', day: 'date', visitor: 'text', test: 'bool' };
const visitColumns = namesOf(visitTypes);

/** Parts of a statement: `recorded` has the events of visitors who are new that day. */
export const visitsSql = (visits: string): string => `visits_now as (
     select * from json_to_recordset(${visits}::json) as v(${recordOf({ ...visitTypes, ...outboxTypes })})
   ), visited as (
     insert into visits (${visitColumns}) select ${visitColumns} from visits_now order by ${visitColumns}
     on conflict do nothing returning ${visitColumns}
   ), recorded as (
     insert into outbox (${outboxColumns})
     select ${outboxColumns} from visits_now
     where (${visitColumns}) in (select ${visitColumns} from visited)
     order by event_id
     returning event_id
   )`;

/** The parameter of `visitsSql`: each visit once. */
export function visitsJson(visits: readonly Visit[]): string {
  const visitKey = ({ account_id, product_id, day, visitor, test }: Visit) =>
    [account_id, product_id, day, visitor, test].join();
  return JSON.stringify([...new Map(visits.toReversed().map((visit) => [visitKey(visit), visit])).values()]);
}

const recordStatement = statement<{ event_id: string }>(
  'visits-record',
  `with ${visitsSql('$1')} select event_id from recorded`,
  { event_id: 'text' },
);

/** @returns of each visit whether its visitor was new that day */
export async function recordVisits(db: Queryable, visits: readonly Visit[]): Promise<boolean[]> {
  const { rows } = await db.query(recordStatement([visitsJson(visits)]));
  const recorded = new Set(rows.map(({ event_id }) => event_id));
  return visits.map(({ event_id }) => recorded.has(event_id));
}
