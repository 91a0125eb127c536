import type { Database } from '@app/service-kit/database';
import { type OpenedDatabase, openMigratedDatabase } from '@app/testing/opened-database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseOptions, migrate } from '../src/db/migrate.ts';

let storage: OpenedDatabase;
let database: Database;

beforeAll(async () => {
  storage = await openMigratedDatabase('checkout', migrate, databaseOptions);
  ({ database } = storage);
  // The same sum in plain SQL, which costs twice as much.
  await database.pool.query(`
    create function plain_total(items json) returns bigint language sql immutable strict as
    $$ select coalesce(sum((item ->> 'amount_cents')::bigint), 0)::bigint from json_array_elements(items) as item $$`);
});
afterAll(() => storage.close());

/** Its sum, or the code of its error. */
async function sumBy(name: 'order_items_total' | 'plain_total', items: string | null): Promise<string | null> {
  const requested = database.pool.query<{ total: string }>(`select ${name}($1::json)::text as total`, [items]);
  return await requested.then(
    ({ rows }) => rows[0]?.total ?? null,
    (err: { code: string }) => `error ${err.code}`,
  );
}

const edges: readonly (string | null)[] = [
  ...[null, '[]', '[null]', '[[]]', '[1, "a", true]', '[{}]', '[{"amount_cents": null}]', '[{"amount_cents": "12"}]'],
  ...['[{"amount_cents": -3}, {"amount_cents": 5, "amount_cents": 7}]', '[{"amount_cents": 9007199254740991}]'],
  ...['[{"amount_cents": 9223372036854775807}]', '[{"amount_cents": 9223372036854775807}, {"amount_cents": 1}]'],
  ...['[{"amount_cents": 1.5}]', '[{"amount_cents": "x"}]', '[{"amount_cents": 9223372036854775808}]'],
  ...['{}', '{"amount_cents": 1}', '1', 'null', '"[]"'],
];

test.each(edges)('the sum of %s is what plain SQL says', async (items) => {
  expect(await sumBy('order_items_total', items)).toBe(await sumBy('plain_total', items));
});

test('sums of random items are what plain SQL says', async () => {
  const random = (below: number) => Math.floor(Math.random() * below);
  const amounts = [() => random(10 ** 9), () => -random(10 ** 6), () => null, () => undefined, () => `${random(99)}`];
  const item = () => ({ kind: 'bump', label: 'é"\\ 漢', amount_cents: amounts[random(amounts.length)]?.() });
  for (let n = 0; n < 300; n += 1) {
    const items = JSON.stringify(Array.from({ length: random(12) }, item));
    const total = await sumBy('order_items_total', items);
    expect([items, total]).toEqual([items, await sumBy('plain_total', items)]);
    expect(total).toMatch(/^-?\d+$/);
  }
});
