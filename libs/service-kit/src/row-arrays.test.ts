import { expect, test } from 'vitest';
import { columnsOf, insertRowsSql, tableOf } from './row-arrays.ts';

const columns = { id: 'text', number: 'int' } as const;
const literalOf = (...values: unknown[]) =>
  columnsOf(
    values.map((id) => ({ id, number: 1 })),
    columns,
  )[0];

test('a table of rows names its columns and their parameters in one order', () => {
  expect(tableOf(columns, 3)).toBe('unnest($3::text[], $4::int[]) as rows (id, number)');
  expect(tableOf(columns, 1, { numbered: true })).toBe(
    'unnest($1::text[], $2::int[]) with ordinality as rows (id, number, ordinality)',
  );
  expect(columnsOf([{ number: 7, id: 'a' }], columns)).toEqual(['{"a"}', '{7}']);
});

test('rows are inserted by the names of their columns', () => {
  expect(insertRowsSql('things', columns)).toBe(
    'insert into things (id, number) select id, number from unnest($1::text[], $2::int[]) as rows (id, number)',
  );
});

test('values arrive as they are, whatever characters they contain', () => {
  expect(literalOf()).toBe('{}');
  expect(literalOf('a', '', null, 'null', true)).toBe('{"a","",null,"null",true}');
  expect(literalOf('{a,b}')).toBe('{"{a,b}"}');
  expect(literalOf('{"a":"b\\n"}')).toBe(String.raw`{"{\"a\":\"b\\n\"}"}`);
  expect(literalOf('"\n\t"')).toBe('{"\\"\n\t\\""}');
  expect(literalOf('"😀\\')).toBe(String.raw`{"\"😀\\"}`);
});

test('times and other objects arrive as text that PostgreSQL reads as a time and as JSON', () => {
  expect(literalOf(new Date(0), { a: '"' })).toBe(String.raw`{1970-01-01T00:00:00.000Z,"{\"a\":\"\\\"\"}"}`);
});
