import type pg from 'pg';
import { type StatementQuery, statement } from './database.ts';

interface SealedRow<Sealed> {
  readonly keys: string[];
  readonly bound: string[];
  readonly sealed: Sealed;
}

/** Where sealed values are stored, and how one of them is sealed anew. */
export interface SealedColumn<Sealed extends Buffer | string = Buffer | string> {
  /** For operators: `API keys of processors`. */
  readonly what: string;
  read(values: unknown[]): StatementQuery<SealedRow<Sealed>>;
  readonly write: (values: unknown[]) => pg.QueryConfig;
  /** Whether values are sealed anew; those that end by themselves are only counted. */
  readonly counted: boolean;
  readonly keys: number;
  /** @returns null where it is under the secret of today; @throws Error where no secret opens it */
  reseal(sealed: Sealed, bound: readonly string[]): Sealed | null;
}

interface SealedPlace<Sealed extends Buffer | string> {
  readonly what: string;
  /** Of its statements, in kebab-case. */
  readonly name: string;
  readonly table: string;
  readonly type: Sealed extends Buffer ? 'bytea' : 'text';
  /** The primary key; text, or as text. */
  readonly keys: readonly string[];
  /** SQL of the value; with it of what it is bound to (the keys unless given) and of the change to `$3`. */
  readonly sealed: string;
  readonly bound?: readonly string[];
  readonly change?: string;
  readonly counted?: boolean;
  readonly reseal: SealedColumn<Sealed>['reseal'];
}

export function sealedColumn<Sealed extends Buffer | string>(place: SealedPlace<Sealed>): SealedColumn<Sealed> {
  const { what, name, table, type, keys, sealed, bound = keys, counted = false, reseal } = place;
  const { change = `${sealed} = $3` } = place;
  const asText = keys.map((key) => `${key}::text`).join(', ');
  const given = keys.map((_, index) => `($1::text[])[${index + 1}]`).join(', ');
  const types = { bound: 'text[]', keys: 'text[]', sealed: type } as never;
  const read = statement<SealedRow<Sealed>>(
    `sealed-read-${name}`,
    `select array[${asText}] as keys, array[${bound.join(', ')}]::text[] as bound, ${sealed} as sealed from ${table}
     where ${sealed} is not null and (${asText}) > (${given}) order by ${asText} limit $2`,
    types,
  );
  const write = statement(
    `sealed-write-${name}`,
    `update ${table} set ${change} where (${asText}) = (${given}) and ${sealed} = $2`,
  );
  return { what, read, write, counted, keys: keys.length, reseal };
}

export interface Resealed {
  readonly what: string;
  /** Sealed anew by this run. */
  resealed: number;
  /** Under the secret of today before it. */
  current: number;
  /** Under the secret before, and left so: they end by themselves. */
  left: number;
  /** No secret opens them. */
  unreadable: number;
}

const batchMax = 500;

/**
 * Seals a column anew, batch after batch. A run that is killed leaves values of both secrets, which the services open, and
 * another one goes on; a value that is changed meanwhile is under the secret of today.
 */
export async function resealColumn<Sealed extends Buffer | string>(
  pool: Pick<pg.Pool, 'query'>,
  column: SealedColumn<Sealed>,
): Promise<Resealed> {
  const { what } = column;
  const sum: Resealed = { what, resealed: 0, current: 0, left: 0, unreadable: 0 };
  let cursor = Array.from({ length: column.keys }, () => '');
  for (;;) {
    const { rows } = await pool.query<SealedRow<Sealed>>(column.read([cursor, batchMax]));
    for (const row of rows) sum[await resealRow(pool, column, row)] += 1;
    const last = rows.at(-1);
    if (last === undefined || rows.length < batchMax) return sum;
    cursor = last.keys;
  }
}

async function resealRow<Sealed extends Buffer | string>(
  pool: Pick<pg.Pool, 'query'>,
  { write, counted, reseal }: SealedColumn<Sealed>,
  { keys, bound, sealed }: SealedRow<Sealed>,
): Promise<'resealed' | 'current' | 'left' | 'unreadable'> {
  let fresh: Sealed | null;
  try {
    fresh = reseal(sealed, bound);
  } catch {
    return 'unreadable';
  }
  if (fresh === null) return 'current';
  if (counted) return 'left';
  const { rowCount } = await pool.query(write([keys, sealed, fresh]));
  return rowCount === 1 ? 'resealed' : 'current';
}
