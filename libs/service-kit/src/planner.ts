import { statement } from './database.ts';

/*
 * The words with which statements argue with PostgreSQL's planner; they change no result. A prepared statement is planned
 * without its values, and by statistics that are older than a sudden backlog or than the growth of a young table. So the
 * planner guesses: ten rows of any array, a hundred of any JSON, a few of any status. By such a guess it may read a
 * whole table where each row is to be looked up by its key. What forces a join or a look-up without a word from here is plain
 * SQL: `any (array(select …))` instead of a join, and a scalar subquery.
 */

/** Makes a subquery be computed by itself, by its own conditions, before what is around it is applied to its rows. */
export const computedFirst = (select: string): string => `${select} offset 0`;

/**
 * The tables of a `from`, joined with at most one row for each, or with nulls. The limit keeps the planner from reading a whole
 * table for the join: it does not know for how many rows.
 * @param select of rows by their key; it may name columns of the tables before
 */
export const withOne = (select: string, name: string): string =>
  `left join lateral (${select} limit 1) ${name} on true`;

/**
 * A condition that holds for null too, and for which no index is read: of two conditions with an index each, the planner may
 * read that of the weaker one.
 */
export const byNoIndex = (condition: string): string => `coalesce(${condition}, true)`;

/** The name under which a key stands in a row a second time, for `isOneRow`. */
export const sameKey = 'same_key';

/** A key of a row that is joined, once more. */
export const keyAgain = (key: string): string => `${key} as ${sameKey}`;

/**
 * Always true. The planner takes the comparison of two columns for rare, expects one row of `rows`, and looks up what is joined
 * to it by its key.
 */
export const isOneRow = (rows: string, key = 'id'): string => `${rows}.${key} = ${rows}.${sameKey}`;

/** For a session whose statements all follow an index: to plan a scan of a table costs as much as the scan. */
export const alongIndexes = { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off' } as const;

/** The same where statements also join: each row is looked up by its key. */
export const rowByRow = { ...alongIndexes, enable_hashjoin: 'off', enable_mergejoin: 'off' } as const;

const rowByRowSql = Object.entries(rowByRow)
  .map(([name, value]) => `set_config('${name}', '${value}', true)`)
  .join(' || ');

/**
 * A statement of its own, for the rest of the transaction: each row is looked up by its key. A plan that is forced to be made once for a
 * connection saves planning, which may cost as much as the work; without the other settings it would be the plan of a time when the
 * tables were small.
 */
export const byRows = statement<{ planning: string }>('planner-row-by-row', `select ${rowByRowSql} as planning`, {
  planning: 'text',
});

/**
 * A statement of its own, for the rest of the transaction: batches are read in the order of an index. Otherwise a whole
 * backlog would be read and sorted for every batch, of which the planner expects a few rows.
 */
export const inIndexOrder = statement<{ set_config: string }>(
  'planner-in-index-order',
  `select set_config('enable_bitmapscan', 'off', true)`,
  { set_config: 'text' },
);
