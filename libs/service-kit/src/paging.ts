import { limits, type PageQuery } from '@app/contracts/common';
import { invalidField } from '@app/contracts/validation';
import { type ColumnsOf, type Database, statement } from './database.ts';
import { namesOf } from './row-arrays.ts';

/** A list's answer: `has_more` where paging was requested, or where the first page is not all there is. */
export interface Page<Row> {
  readonly data: Row[];
  readonly has_more?: boolean;
}

export interface PagedList<Row> {
  /** Of the statements; unique within a service. */
  readonly name: string;
  readonly table: string;
  /** What the rows have; their `id` is what pages are found by. */
  readonly row: ColumnsOf<Row>;
  /** Where they are not all columns of the table under their names. */
  readonly columns?: string;
  /** The columns that say whose list it is, the account first; with `id` after them they are an index. */
  readonly scope: readonly [string, ...string[]];
  readonly filter?: string;
}

/** Sorts after every id, under collation "C" and under those of languages: ids begin with their kind's letters, none with z. */
const afterAllIds = 'z';

/**
 * The one way lists page: newest first, `before` an id, `limit` at most 100. One statement along an index, and with
 * `before` a comparison with that id beside it. Ids sort by time, so they page by id, and what comes meanwhile moves nothing. Nor
 * does what leaves a filter meanwhile: the account's id is a position whether or not its row is in the list by now.
 * @throws DomainError validation_failed when the account has no such id in the table
 */
export function pagedList<Row extends { readonly id: string }>(
  list: PagedList<Row>,
): (database: Database, scope: readonly string[], page: PageQuery) => Promise<Page<Row>> {
  const conditions = list.scope.map((column, index) => `${column} = $${index + 1}`);
  if (list.filter !== undefined) conditions.push(list.filter);
  const where = conditions.join(' and ');
  const idParameter = list.scope.length + 1;
  const name = `${list.name}-page`;
  const columns = list.columns ?? namesOf(list.row);
  const text = `select ${columns} from ${list.table} where ${where} and id < $${idParameter} order by id desc limit $${idParameter + 1}`;
  const pageStatement = statement<Row>(name, text, list.row);
  const [account] = list.scope;
  const knownStatement = statement(`${list.name}-known`, `select from ${list.table} where ${account} = $1 and id = $2`);
  return async (database, scope, page) => {
    const limit = page.limit ?? limits.listMax;
    const values = [...scope, page.before ?? afterAllIds, limit + 1];
    const [{ rows }, known] = await Promise.all([
      database.pool.query(pageStatement(values)),
      page.before === undefined ? undefined : database.pool.query(knownStatement([scope[0], page.before])),
    ]);
    if (known?.rowCount === 0) throw unknownBefore();
    return pageOf(rows, page);
  };
}

/** @param rows one more than the page holds, if there are so many */
export function pageOf<Row>(rows: readonly Row[], page: PageQuery): Page<Row> {
  const limit = page.limit ?? limits.listMax;
  const data = rows.slice(0, limit);
  const more = rows.length > limit;
  return isPaging(page) || more ? { data, has_more: more } : { data };
}

/**
 * A page of a list that is short and has an order of its own, of which `rows` are all; without paging, all of it.
 * @throws DomainError validation_failed when `before` is the id of none of them
 */
export function pageOfAll<Row extends { readonly id: string }>(rows: readonly Row[], page: PageQuery): Page<Row> {
  if (!isPaging(page)) return { data: [...rows] };
  const from = page.before === undefined ? 0 : rows.findIndex(({ id }) => id === page.before) + 1;
  if (page.before !== undefined && from === 0) throw unknownBefore();
  return pageOf(rows.slice(from), page);
}

export const isPaging = (page: PageQuery): boolean => page.limit !== undefined || page.before !== undefined;

/** A list that went on from nowhere would look like its end. */
export const unknownBefore = (): Error =>
  invalidField('before', 'must be the id of an entry of this list', 'unknown_id');
