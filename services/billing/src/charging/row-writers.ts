import { type Client, statement } from '@app/service-kit/database';
import { type Columns, columnsOf, insertRowsSql } from '@app/service-kit/row-arrays';

/** Writes rows with one statement, in a transaction. Where there are none, nothing is sent. */
export type RowWriter<Types extends Columns> = (
  client: Client,
  rows: readonly Readonly<Record<keyof Types, unknown>>[],
) => Promise<void>;

/** A statement that writes rows of these columns, which are its parameters from $1 on. */
export function writing<Types extends Columns>(name: string, types: Types, text: string): RowWriter<Types> {
  const query = statement(name, text);
  return async (client, rows) => {
    if (rows.length > 0) await client.query(query(columnsOf(rows, types)));
  };
}

export const inserting = <Types extends Columns>(
  name: string,
  table: string,
  types: Types,
  onConflict = '',
): RowWriter<Types> => writing(name, types, `${insertRowsSql(table, types)}${onConflict}`);
