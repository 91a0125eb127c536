import { type Batcher, type BatcherOptions, createBatcher } from './batcher.ts';
import type { Database, StatementQuery } from './database.ts';
import { together } from './together.ts';

/** What one item adds to the parameters of a statement for many: first its arrays, then its lists of rows, which are JSON. */
export interface StatementPart {
  readonly arrays: readonly (readonly unknown[])[];
  readonly lists: readonly (readonly object[])[];
  /** Items that share one never share a statement: the first one is done first. */
  readonly keys: readonly string[];
}

type Options = Pick<BatcherOptions<StatementPart, unknown>, 'concurrency' | 'span'>;

/**
 * A batcher of one statement, which runs once for the items that wait at the same time. Each resolves with all rows of the
 * statement. Items are made ready before they wait, so nothing of theirs runs between their wait and the commit.
 */
export function createStatementBatcher<Row extends object>(
  { pool }: Pick<Database, 'pool'>,
  statementOf: (values: unknown[]) => StatementQuery<Row>,
  options: Options,
): Batcher<StatementPart, readonly Row[]> {
  return createBatcher<StatementPart, readonly Row[]>({
    ...options,
    keysOf: ({ keys }) => keys,
    run: together(async (parts) => {
      const { rows } = await pool.query(statementOf(parametersOf(parts)));
      return parts.map(() => rows);
    }),
  });
}

function parametersOf(parts: readonly StatementPart[]): unknown[] {
  const arrays = parts[0]?.arrays.map((_, n) => parts.flatMap((part) => part.arrays[n] ?? [])) ?? [];
  const lists = parts[0]?.lists.map((_, n) => JSON.stringify(parts.flatMap((part) => part.lists[n] ?? []))) ?? [];
  return [...arrays, ...lists];
}
