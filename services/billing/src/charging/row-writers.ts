import { statement, type Write } from '@app/service-kit/database';
import { type Columns, columnsOf, insertRowsSql } from '@app/service-kit/row-arrays';

/** The statement that writes rows; none where there are none. */
export type RowWriter<Types extends Columns> = (
  rows: readonly Readonly<Record<keyof Types, unknown>>[],
) => readonly Write[];

/** A statement that writes rows of these columns, which are its parameters from $1 on. */
export function writing<Types extends Columns>(name: string, types: Types, text: string): RowWriter<Types> {
  const query = statement(name, text);
  return (rows) => (rows.length === 0 ? [] : [query(columnsOf(rows, types))]);
}

export const inserting = <Types extends Columns>(
  name: string,
  table: string,
  types: Types,
  onConflict = '',
): RowWriter<Types> => writing(name, types, `${insertRowsSql(table, types)}${onConflict}`);
