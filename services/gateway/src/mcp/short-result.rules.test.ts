import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { shortResult as cut } from './short-result.rules.ts';

const bytesOf = (value: unknown) => {
  const text = JSON.stringify(value);
  return Buffer.byteLength(text) + Buffer.byteLength(JSON.stringify(text));
};
const shortResult = (value: Record<string, unknown>, bytesMax: number) =>
  cut(value, Buffer.byteLength(JSON.stringify(value)), bytesMax);
const row = (id: number, length: number) => ({ id: `row_${id}`, body: 'ä"'.repeat(length / 2) });
const rows = (count: number, length: number) => Array.from({ length: count }, (_, id) => row(id, length));

test('what fits stays as it is', () => {
  const value = { data: rows(3, 100) };
  expect(shortResult(value, 19_000)).toEqual({ value, note: null, rowsLeftOut: 0 });
});

test('long texts are cut before rows are left out', () => {
  const { value, note } = shortResult({ data: rows(10, 50_000) }, 19_000);
  expect((value.data as unknown[]).length).toBe(10);
  expect(JSON.stringify(value.data)).toContain('…');
  expect(value.has_more).toBeUndefined();
  expect(note).toBe('Long texts end in “…”.');
});

test('a list that lost rows keeps its first ones and says that there are more', () => {
  const { value, note } = shortResult({ data: rows(100, 5_000), has_more: false }, 19_000);
  const data = value.data as { id: string }[];
  expect(data.length).toBeGreaterThan(5);
  expect(data.map(({ id }) => id)).toEqual(rows(data.length, 2).map(({ id }) => id));
  expect(value.has_more).toBe(true);
  expect(note).toContain(`Left out: ${100 - data.length} of data.`);
});

test('no list takes the room of another', () => {
  const { value } = shortResult({ bumps: rows(100, 200), upsells: rows(3, 200), emails: rows(50, 9_000) }, 19_000);
  expect(value.upsells).toHaveLength(3);
  expect((value.bumps as unknown[]).length).toBeGreaterThan(5);
  expect((value.emails as unknown[]).length).toBeGreaterThan(5);
});

test('of months the last ones stay', () => {
  const months = Array.from({ length: 600 }, (_, i) => ({ month: `${2000 + Math.floor(i / 12)}-${i % 12}`, value: i }));
  const { value } = shortResult({ summary: { orders: 1 }, revenueByMonth: months }, 9_000);
  expect((value.revenueByMonth as typeof months).at(-1)).toEqual(months.at(-1));
  expect(value.summary).toEqual({ orders: 1 });
});

test('whatever it holds, a cut answer of rows fits', () => {
  const anyRow = fc.record({ id: fc.string(), text: fc.string({ maxLength: 300, unit: 'binary' }), n: fc.integer() });
  void fc.assert(
    fc.property(fc.array(anyRow, { maxLength: 40 }), fc.array(anyRow, { maxLength: 40 }), (data, others) => {
      expect(bytesOf(shortResult({ data, others }, 4_000).value)).toBeLessThanOrEqual(4_000);
    }),
    { numRuns: 20 },
  );
});

test('one thing whose parts have lists that are too long keeps their beginnings', () => {
  const orphans = Array.from({ length: 100 }, (_, no) => ({ no, id: 'x'.repeat(150) }));
  const { value } = shortResult({ id: 'run_1', books: { orphans } }, 10_000);
  expect(value).toEqual({ id: 'run_1', books: { orphans: orphans.slice(0, 3) } });
});

test('a row whose own lists are too long for the result keeps their beginnings', () => {
  const row = (id: string) => ({
    id,
    books: { orphans: Array.from({ length: 100 }, (_, no) => ({ no, id: 'x'.repeat(150) })) },
  });
  const value = { data: [row('a'), row('b')] };
  const { value: short, note } = shortResult(value, 10_000);
  expect(short.data).toMatchObject([{ id: 'a' }, { id: 'b' }]);
  expect((short.data as ReturnType<typeof row>[]).map(({ books }) => books.orphans.length)).toEqual([3, 3]);
  expect(note).toContain('Lists within rows show 3 at most');
});
