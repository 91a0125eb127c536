import { fileURLToPath } from 'node:url';
import { spawnNode } from '@app/testing/child-service';
import { fakeClock } from '@app/testing/fake-clock';
import { volume } from '@app/testing/long';
import { untilBlocked } from '@app/testing/poll-system';
import { query } from '@app/testing/sql';
import { beforeAll, expect, test } from 'vitest';
import { factOfOrder } from '../src/facts/fact.rules.ts';
import { recordFacts } from '../src/facts/record-facts.ts';
import { getRollups } from '../src/metrics/get-rollups.ts';
import { getOverview } from '../src/overview/get-overview.ts';
import { rebuildRollups } from '../src/rollups/rebuild-rollups.ts';
import { orderEvent } from './samples.ts';
import { database, openStorage, storage } from './set-up.ts';

openStorage();

const many = volume(15_000, 150_000);
const buyers = many / 3;
const clock = fakeClock('2026-03-15T12:00:00.000Z');
beforeAll(async () => {
  // Over a connection without a time limit: the long form takes long.
  await query(
    storage.url,
    `insert into facts (event_id, account_id, product_id, fact_key, kind, occurred_at, test, currency, amount_cents,
       mrr_cents, active_delta, email_key, has_bump, has_upsell, from_checkout)
     select 'evt_' || n, 'acc_many', 'prd_1', 'ord_' || n, 'order_paid', '2026-01-01', false, 'usd', 100, 0, 0,
       sha256(convert_to('buyer' || n % $2, 'UTF8')), n % 2 = 0, false, false
     from generate_series(1, $1::int) n`,
    [many, buyers],
  );
});

const sell = (account: string) =>
  database.transaction((client) =>
    recordFacts(client, [factOfOrder(orderEvent(account, 'prd_1', { totalCents: 100 }))]),
  );

async function read(account: string) {
  const { totals, months } = await getRollups(database, account, 'prd_1');
  const { currencies } = await getOverview({ database, clock }, account, { from: '2025-12-15', to: '2026-01-31' });
  const byDay = currencies[0]?.current.orders ?? 0;
  return { orders: totals.orders, byDay, cents: months[0]?.revenue_cents ?? 0, customers: totals.customers };
}

const otherGenerations = async () => {
  const { rows } = await database.pool.query(
    `select count(distinct tables) as tables from (
       select 'customers' as tables, account_id, generation from customers
       union all select 'days', account_id, generation from product_days
     ) as c left join rollup_generations as g using (account_id)
     where c.generation <> coalesce(g.generation, 0)`,
  );
  return rows[0].tables;
};

/** A rebuild waits with the last statement before the new numbers are read, until what this returns is called. */
async function holdSwitch(): Promise<() => Promise<void>> {
  const holder = await database.pool.connect();
  await holder.query(`create function hold() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock(42); return new; end $$`);
  await holder.query('create trigger hold before insert on rollup_generations for each row execute function hold()');
  await holder.query('select pg_advisory_lock(42)');
  return async () => {
    await holder.query('select pg_advisory_unlock(42)');
    // This waits for the killed rebuild's transaction to end.
    await holder.query('drop function hold cascade');
    holder.release();
  };
}

test('a rebuild killed with -9 leaves the old numbers, and the next one the right ones', async () => {
  await sell('acc_many');
  const old = await read('acc_many');
  expect(old.orders).toBe(1);
  const entry = fileURLToPath(new URL('../src/rebuild.ts', import.meta.url));
  const letSwitch = await holdSwitch();
  const rebuild = await spawnNode(entry, { DATABASE_URL: storage.url }, { readyLine: /acc_many, 10000 facts/ });
  await untilBlocked(database.pool);
  await rebuild.kill('SIGKILL');
  await letSwitch();
  expect(await read('acc_many')).toEqual(old);
  expect(await otherGenerations()).toBe(2);
  await rebuildRollups(database, 'acc_many');
  expect(await read('acc_many')).toEqual({
    ...{ orders: many + 1, byDay: many + 1 },
    ...{ cents: (many + 1) * 100, customers: buyers + 1 },
  });
  expect(await otherGenerations()).toBe(0);
});

test('sales of the account itself and of others are counted at once while a rebuild works, each exactly once', async () => {
  await database.pool.query(`update product_totals set orders = 7 where account_id = 'acc_many'`);
  const { rows: before } = await database.pool.query(`select count(*) from facts where account_id = 'acc_many'`);
  let sold = 0;
  const sellMeanwhile = async (_: string, counted: number) => {
    if (sold === 12 && counted < many) return;
    // Were anything of theirs held meanwhile, these would wait for the rebuild that waits for them.
    await Promise.all([sell('acc_many'), sell('acc_many'), sell('acc_other')]);
    sold += 1;
    expect((await read('acc_other')).orders).toBe(sold);
    if (counted < many) expect((await read('acc_many')).orders).toBe(7 + 2 * sold);
  };
  await rebuildRollups(database, 'acc_many', sellMeanwhile, many / 15);
  expect(sold).toBeGreaterThanOrEqual(12);
  const orders = before[0].count + 2 * sold;
  expect(await read('acc_many')).toEqual({ orders, byDay: orders, cents: orders * 100, customers: buyers + 1 });
  expect(await read('acc_other')).toEqual({ orders: sold, byDay: sold, cents: sold * 100, customers: 1 });
});
