import { fileURLToPath } from 'node:url';
import { type Database, openDatabase } from '@app/service-kit/database';
import { spawnNode } from '@app/testing/child-service';
import { guardLeaks } from '@app/testing/leak-guard';
import { createMigratedDatabase, type TestDatabase } from '@app/testing/postgres';
import { query } from '@app/testing/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseOptions, migrate } from '../src/db/migrate.ts';
import { factOfOrder } from '../src/facts/fact.rules.ts';
import { recordFacts } from '../src/facts/record-facts.ts';
import { getRollups } from '../src/metrics/get-rollups.ts';
import { rebuildRollups } from '../src/rollups/rebuild-rollups.ts';
import { orderEvent } from './samples.ts';

guardLeaks();

const many = 150_000;
let storage: TestDatabase;
let database: Database;
beforeAll(async () => {
  storage = await createMigratedDatabase('metrics', migrate);
  database = await openDatabase(databaseOptions(storage.url));
  // Over a connection without a time limit: a loaded machine takes long.
  await query(
    storage.url,
    `insert into facts (event_id, account_id, product_id, subject_id, kind, occurred_at, test, currency, amount_cents,
       mrr_cents, email_key, has_bump, has_upsell, from_checkout)
     select 'evt_' || n, 'acc_many', 'prd_1', 'ord_' || n, 'order_paid', '2026-01-01', false, 'usd', 100, 0,
       sha256(convert_to('buyer' || n % 50000, 'UTF8')), n % 2 = 0, false, false
     from generate_series(1, $1::int) n`,
    [many],
  );
}, 120_000);
afterAll(async () => {
  await database.close();
  await storage.close();
});

const sell = (account: string) =>
  database.transaction((client) =>
    recordFacts(client, [factOfOrder(orderEvent(account, 'prd_1', { totalCents: 100 }))]),
  );

async function read(account: string) {
  const { totals, months } = await getRollups(database, account, 'prd_1');
  return { orders: totals.orders, cents: months[0]?.revenue_cents ?? 0, customers: totals.customers };
}

const otherGenerations = async () => {
  const { rows } = await database.pool.query(
    `select 1 from customers as c left join rollup_generations as g using (account_id)
     where c.generation <> coalesce(g.generation, 0) limit 1`,
  );
  return rows.length;
};

test('a rebuild killed with -9 leaves the old numbers, and the next one the right ones', {
  timeout: 120_000,
}, async () => {
  await sell('acc_many');
  const old = await read('acc_many');
  expect(old.orders).toBe(1);
  const entry = fileURLToPath(new URL('../src/rebuild.ts', import.meta.url));
  const rebuild = await spawnNode(entry, { DATABASE_URL: storage.url }, { readyLine: /acc_many, 30000 facts/ });
  await rebuild.kill('SIGKILL');
  expect(await read('acc_many')).toEqual(old);
  expect(await otherGenerations()).toBe(1);
  await rebuildRollups(database, 'acc_many');
  expect(await read('acc_many')).toEqual({ orders: many + 1, cents: (many + 1) * 100, customers: 50_001 });
  expect(await otherGenerations()).toBe(0);
});

test('sales of the account itself and of others are counted at once while a rebuild works, each exactly once', {
  timeout: 120_000,
}, async () => {
  await database.pool.query(`update product_totals set orders = 7 where account_id = 'acc_many'`);
  const { rows: before } = await database.pool.query(`select count(*) from facts where account_id = 'acc_many'`);
  let sold = 0;
  await rebuildRollups(database, 'acc_many', async (_, counted) => {
    if (sold === 12 && counted < many) return;
    // Were anything of theirs held meanwhile, these would wait for the rebuild that waits for them.
    await Promise.all([sell('acc_many'), sell('acc_many'), sell('acc_other')]);
    sold += 1;
    expect((await read('acc_other')).orders).toBe(sold);
    if (counted < many) expect((await read('acc_many')).orders).toBe(7 + 2 * sold);
  });
  expect(sold).toBeGreaterThanOrEqual(12);
  const orders = before[0].count + 2 * sold;
  expect(await read('acc_many')).toEqual({ orders, cents: orders * 100, customers: 50_001 });
  expect(await read('acc_other')).toEqual({ orders: sold, cents: sold * 100, customers: 1 });
});
