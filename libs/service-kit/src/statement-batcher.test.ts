import { expect, test } from 'vitest';
import type { Database, StatementQuery } from './database.ts';
import { createStatementBatcher, type StatementPart } from './statement-batcher.ts';

const partOf = (id: string, keys: readonly string[] = []): StatementPart => ({
  arrays: [[id], []],
  lists: [[{ id }], id === 'b' ? [{ of: id }] : []],
  keys,
});

/** A batcher whose statement returns the ids that it got. */
function startBatcher() {
  const run: unknown[][] = [];
  const query = async ({ values = [] }: { values?: unknown[] }) => {
    run.push(values);
    return { rows: [{ ids: values[0] }] };
  };
  const pool = { query } as unknown as Database['pool'];
  const statementOf = (values: unknown[]) => ({ name: 'n', text: 't', values }) as unknown as StatementQuery<object>;
  return { run, batcher: createStatementBatcher({ pool }, statementOf, {}) };
}

test('items that wait together are one statement, whose parameters have what each adds, in their order', async () => {
  const { run, batcher } = startBatcher();
  const rows = await Promise.all([batcher.add(partOf('a')), batcher.add(partOf('b'))]);
  expect(run).toEqual([[['a', 'b'], [], '[{"id":"a"},{"id":"b"}]', '[{"of":"b"}]']]);
  expect(rows).toEqual([[{ ids: ['a', 'b'] }], [{ ids: ['a', 'b'] }]]);
  await batcher.close();
});

test('items that share a key are two statements, the first one first', async () => {
  const { run, batcher } = startBatcher();
  await Promise.all([batcher.add(partOf('a', ['k'])), batcher.add(partOf('c', ['k', 'l']))]);
  expect(run.map(([ids]) => ids)).toEqual([['a'], ['c']]);
  await batcher.close();
});
