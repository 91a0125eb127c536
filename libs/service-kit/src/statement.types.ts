import type pg from 'pg';

declare const rowType: unique symbol;

/** A statement with its values, and, for the compiler alone, what its rows are. */
export interface StatementQuery<Row extends object> extends pg.QueryConfig {
  readonly [rowType]: Row;
}

/** A statement with its values, whatever its rows are. */
export type AnyStatement = pg.QueryConfig;
