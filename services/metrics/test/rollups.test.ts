import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { type Database, openDatabase } from '@app/service-kit/database';
import { spawnNode } from '@app/testing/child-service';
import { guardLeaks } from '@app/testing/leak-guard';
import { createMigratedDatabase, type TestDatabase } from '@app/testing/postgres';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { databaseOptions, migrate } from '../src/db/migrate.ts';
import { type Fact, factOfOrder, factOfSubscription, monthlyCents } from '../src/facts/fact.rules.ts';
import { recordFacts } from '../src/facts/record-facts.ts';
import { rollupsByProduct } from '../src/metrics/get-rollups.ts';
import { rebuildRollups } from '../src/rollups/rebuild-rollups.ts';
import { orderEvent, subscriptionEvent } from './samples.ts';

guardLeaks();

let storage: TestDatabase;
let database: Database;
beforeAll(async () => {
  storage = await createMigratedDatabase('metrics', migrate);
  database = await openDatabase(databaseOptions(storage.url));
});
afterAll(async () => {
  await database.close();
  await storage.close();
});
beforeEach(empty);

async function empty(): Promise<void> {
  await database.pool.query('truncate facts, product_totals, product_months, customers, rollup_generations');
}

const deliver = (facts: readonly Fact[]): Promise<void> => database.transaction((client) => recordFacts(client, facts));

const rollupTables = ['product_totals', 'product_months', 'customers'] as const;
type RollupTable = (typeof rollupTables)[number];

/** All roll-ups that are read, in an order of their own. */
async function rollups(): Promise<Record<RollupTable, unknown[]>> {
  const tables = { product_totals: [], product_months: [], customers: [] } as Record<RollupTable, unknown[]>;
  for (const table of rollupTables) {
    const { rows } = await database.pool.query(
      `select t.* from ${table} as t left join rollup_generations as g using (account_id)
       where t.generation = coalesce(g.generation, 0) order by 1, 2, 3`,
    );
    tables[table] = rows.map(({ generation: _, ...row }) => row);
  }
  return tables;
}

type Happening = {
  kind: 'order' | 'subscription';
  account: string;
  product: string;
  month: number;
  cents: number;
  email: string;
  bump: boolean;
  upsell: boolean;
  checkout: boolean;
  yearly: boolean;
  test: boolean;
  deliveries: number[];
  batch: number;
};

const happening: fc.Arbitrary<Happening> = fc.record({
  kind: fc.constantFrom('order', 'order', 'subscription'),
  account: fc.constantFrom('acc_a', 'acc_b'),
  product: fc.constantFrom('prd_1', 'prd_2'),
  month: fc.integer({ min: 0, max: 18 }),
  cents: fc.integer({ min: 0, max: 9_999_999_999 }),
  email: fc.constantFrom('ann@x.io', 'Ann@x.io', 'bob@x.io', 'BOB@X.IO', 'ünal@x.io', 'Ünal@x.io'),
  bump: fc.boolean(),
  upsell: fc.boolean(),
  checkout: fc.boolean(),
  yearly: fc.boolean(),
  test: fc.nat(4).map((roll) => roll === 0),
  // When each delivery of the event comes, beside the others'.
  deliveries: fc.array(fc.integer(), { minLength: 1, maxLength: 3 }),
  batch: fc.nat(3),
});

function factOf(entry: Happening): Fact {
  const at = new Date(Date.UTC(2025, entry.month, entry.batch % 2 ? 1 : 28, 23, 59)).toISOString();
  if (entry.kind === 'subscription') {
    const billingInterval = entry.yearly ? 'year' : 'month';
    const fields = { amountCents: entry.cents, billingInterval, startedAt: at, test: entry.test } as const;
    return factOfSubscription(subscriptionEvent(entry.account, entry.product, fields));
  }
  const items = [
    { kind: 'main', label: 'm', amountCents: entry.cents } as const,
    ...(entry.bump ? [{ kind: 'bump', label: 'b', amountCents: 0 } as const] : []),
    ...(entry.upsell ? [{ kind: 'upsell', label: 'u', amountCents: 0 } as const] : []),
  ];
  const fields = { totalCents: entry.cents, items, customerEmail: entry.email, test: entry.test, paidAt: at };
  return factOfOrder(
    orderEvent(entry.account, entry.product, { ...fields, source: entry.checkout ? 'checkout' : 'api' }),
  );
}

/** What the roll-ups should say, counted event by event. */
function model(history: readonly Happening[]): Record<RollupTable, unknown[]> {
  const counted = history.filter((entry) => !entry.test);
  return {
    product_totals: rowsOf(counted, (entry) => ['', productOf(entry)], totalsRow),
    product_months: rowsOf(counted, (entry) => [monthOf(entry), productOf(entry)], monthRow),
    customers: rowsOf(
      counted.filter(isOrder),
      (entry) => [keyOf(entry).toString('hex'), productOf(entry)],
      customerRow,
    ),
  };
}

const isOrder = (entry: Happening): boolean => entry.kind === 'order';
const productOf = (entry: Happening): string => `${entry.account} ${entry.product}`;
const monthOf = (entry: Happening): string => new Date(Date.UTC(2025, entry.month)).toISOString().slice(0, 7);
const keyOf = (entry: Happening): Buffer => createHash('sha256').update(entry.email.toLowerCase()).digest();
const mrrOf = (entry: Happening): number => (entry.yearly ? Math.floor(entry.cents / 12 + 0.5) : entry.cents);
const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

type Row = (entries: readonly Happening[]) => Record<string, unknown>;

/** One row for each group, in the order of account, product and the rest of the key. */
function rowsOf(history: readonly Happening[], group: (entry: Happening) => [string, string], row: Row): unknown[] {
  const groups = Map.groupBy(history, (entry) => group(entry).reverse().join(' '));
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, entries]) => ({ account_id: entries[0]?.account, product_id: entries[0]?.product, ...row(entries) }));
}

const customerRow: Row = ([entry]) => ({ email_key: entry && keyOf(entry) });

const totalsRow: Row = (entries) => {
  const orders = entries.filter(isOrder);
  const subscriptions = entries.filter((entry) => !isOrder(entry));
  const cents = sum(orders.map((entry) => entry.cents));
  return {
    orders: orders.length,
    order_cents: cents,
    revenue_cents: cents,
    bump_orders: orders.filter((entry) => entry.bump).length,
    upsell_shown_orders: 0,
    upsell_orders: orders.filter((entry) => entry.upsell).length,
    checkout_orders: orders.filter((entry) => entry.checkout).length,
    views: 0,
    refunds: 0,
    refunded_cents: 0,
    active_subscriptions: subscriptions.length,
    mrr_cents: sum(subscriptions.map(mrrOf)),
    customers: new Set(orders.map((entry) => entry.email.toLowerCase())).size,
  };
};

const monthRow: Row = (entries) => {
  const subscriptions = entries.filter((entry) => !isOrder(entry));
  return {
    month: entries[0] && monthOf(entries[0]),
    revenue_cents: sum(entries.filter(isOrder).map((entry) => entry.cents)),
    mrr_delta_cents: sum(subscriptions.map(mrrOf)),
    active_delta: subscriptions.length,
    started_subscriptions: subscriptions.length,
    canceled_subscriptions: 0,
  };
};

test('however events arrive, the roll-ups, their rebuild and a count by hand are the same', {
  timeout: 60_000,
}, async () => {
  const histories = fc.array(happening, { maxLength: 40 });
  const property = fc.asyncProperty(histories, fc.integer({ min: 1, max: 12 }), async (history, batchSize) => {
    await empty();
    const arrivals = history
      .flatMap((entry) => {
        const fact = factOf(entry);
        return entry.deliveries.map((when) => ({ when, fact }));
      })
      .sort((a, b) => a.when - b.when)
      .map(({ fact }) => fact);
    const batches: Fact[][] = [];
    while (arrivals.length > 0) batches.push(arrivals.splice(0, batchSize));
    // Two at a time, as two replicas would.
    for (let i = 0; i < batches.length; i += 2) await Promise.all(batches.slice(i, i + 2).map(deliver));
    const incremental = await rollups();
    expect(incremental).toEqual(model(history));
    await rebuildRollups(database, 'acc_a');
    expect(await rollups()).toEqual(incremental);
    await rebuildRollups(database, null);
    expect(await rollups()).toEqual(incremental);
  });
  await fc.assert(property, { numRuns: 60 });
});

test('an order or a beginning that comes again under another event counts once, also in one batch', async () => {
  const order = orderEvent('acc_a', 'prd_1', { totalCents: 700 });
  const subscription = subscriptionEvent('acc_a', 'prd_1');
  const again = (id: string) => [factOfOrder({ ...order, id }), factOfSubscription({ ...subscription, id: `${id}s` })];
  await deliver([...again('evt_1'), ...again('evt_2')]);
  await deliver([...again('evt_3'), factOfOrder({ ...order, id: 'evt_4', accountId: 'acc_b' })]);
  const seen = await rollups();
  expect(seen.product_totals).toMatchObject([
    { account_id: 'acc_a', orders: 1, revenue_cents: 700, active_subscriptions: 1, mrr_cents: 1900, customers: 1 },
    { account_id: 'acc_b', orders: 1, active_subscriptions: 0 },
  ]);
  await rebuildRollups(database, null);
  expect(await rollups()).toEqual(seen);
});

const manyOrders = (count: number, product: (index: number) => string): Fact[] =>
  Array.from({ length: count }, (_, index) =>
    factOfOrder(orderEvent('acc_a', product(index), { customerEmail: `buyer${index % 500}@x.io`, totalCents: 100 })),
  );

test('the command line rebuilds what was damaged', async () => {
  await deliver(manyOrders(10, () => 'prd_1'));
  const seen = await rollups();
  await database.pool.query('update product_totals set orders = 0, customers = 99');
  await database.pool.query('delete from product_months');
  const entry = fileURLToPath(new URL('../src/rebuild.ts', import.meta.url));
  const rebuild = await spawnNode(entry, { DATABASE_URL: storage.url }, { readyLine: /rebuilt all accounts/ });
  expect(await rebuild.exited).toBe(0);
  expect(await rollups()).toEqual(seen);
});

test('replicas with the same products in opposite orders do not deadlock', async () => {
  const rounds = Array.from({ length: 20 }, (_, round) =>
    manyOrders(50, (index) => `prd_${round % 2 ? index : 49 - index}`),
  );
  await Promise.all(rounds.map(deliver));
  const { rows } = await database.pool.query(
    'select sum(orders)::bigint as orders, count(*) as products from product_totals',
  );
  expect(rows).toEqual([{ orders: 1000, products: 50 }]);
});

test('a rebuild beside running batches loses none of them and counts none twice', async () => {
  const rounds = Array.from({ length: 12 }, () => manyOrders(40, (index) => `prd_${index % 3}`));
  await Promise.all(
    rounds.flatMap((facts, round) => (round % 4 ? [deliver(facts)] : [deliver(facts), rebuildRollups(database, null)])),
  );
  const seen = await rollups();
  expect(seen.product_totals).toMatchObject(
    ['prd_0', 'prd_1', 'prd_2'].map((product_id, i) => ({ product_id, orders: 12 * (i ? 13 : 14) })),
  );
  await rebuildRollups(database, null);
  expect(await rollups()).toEqual(seen);
});

test('reading numbers looks at the roll-ups of one product by index, and never at facts', async () => {
  await deliver(manyOrders(3000, (index) => `prd_${index % 1000}`));
  await database.pool.query(`insert into rollup_generations select 'acc_' || n, 1 from generate_series(1, 1000) n`);
  await database.pool.query('analyze');
  const { text, values } = rollupsByProduct(['acc_a', 'prd_7']);
  const { rows } = await database.pool.query<{ 'QUERY PLAN': unknown }>(`explain (format json) ${text}`, values);
  const plan = JSON.stringify(rows[0]?.['QUERY PLAN']);
  const relations = new Set([...plan.matchAll(/"Relation Name":"(\w+)"/g)].map((match) => match[1]));
  expect(relations).toEqual(new Set(['product_totals', 'product_months', 'rollup_generations']));
  expect(plan).not.toContain('Seq Scan');
});

test('a yearly price counts a twelfth a month, half up', () => {
  expect([5, 6, 17, 18, 1200].map((cents) => monthlyCents(cents, 'year'))).toEqual([0, 1, 1, 2, 100]);
});
