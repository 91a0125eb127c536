import type pg from 'pg';

declare const rowType: unique symbol;

/** A statement with its values, and, for the compiler alone, what its rows are. */
export interface StatementQuery<Row extends object> extends pg.QueryConfig {
  readonly [rowType]: Row;
}

/** A statement with its values that returns no rows: a row that cannot be read would be told after the commit. */
export interface Write extends pg.QueryConfig {
  readonly [rowType]?: never;
}
