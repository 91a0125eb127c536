import { fileURLToPath } from 'node:url';
import { spawnNode } from '@app/testing/child-service';
import { randomRuns } from '@app/testing/long';
import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import * as facts from '../src/facts/fact.rules.ts';
import { getRollups, rollupsByProduct } from '../src/metrics/get-rollups.ts';
import { assembleMetrics } from '../src/metrics/metrics.rules.ts';
import { rebuildRollups } from '../src/rollups/rebuild-rollups.ts';
import { marksOfFact } from '../src/rollups/rollup-columns.ts';
import { rollupTables } from './harness.ts';
import { accounts, arrivalsOf, factOf, histories, products, type RawEvent } from './histories.ts';
import { recompute } from './recomputation.ts';
import * as samples from './samples.ts';
import { database, deleteAllFacts, deliver, openStorage, storage } from './set-up.ts';

openStorage();

beforeEach(deleteAllFacts);

type RollupTable = (typeof rollupTables)[number];

/** All roll-ups that are read, in an order of their own. */
async function rollups(): Promise<Record<RollupTable, unknown[]>> {
  const tables = {} as Record<RollupTable, unknown[]>;
  for (const table of rollupTables) {
    const { rows } = await database.pool.query(
      `select t.* from ${table} as t left join rollup_generations as g using (account_id)
       where t.generation = coalesce(g.generation, 0) order by 1, 2, 3, 4`,
    );
    tables[table] = rows.map(({ generation: _, ...row }) => row);
  }
  return tables;
}

const now = new Date('2025-06-15T12:00:00.000Z');
const published = products.flatMap((id) =>
  accounts.flatMap((accountId) =>
    (['subscription', 'onetime'] as const).map((pricingType) => ({
      ...{ accountId, now },
      product: { id, name: 'Club', pricingType },
    })),
  ),
);

const expectRecomputed = async (history: readonly RawEvent[]): Promise<void> => {
  for (const about of published) {
    const rollups = await getRollups(database, about.accountId, about.product.id);
    expect(assembleMetrics(about.product, rollups, now)).toEqual(recompute(history, about));
  }
};

test('whatever happened and however its events arrive, every published number and its rebuild are what a slow recount of the events says', async () => {
  const cases = histories.chain((history) =>
    fc.record({
      history: fc.constant(history),
      arrivals: arrivalsOf(history),
      batchSize: fc.integer({ min: 1, max: 12 }),
    }),
  );
  const property = fc.asyncProperty(cases, async ({ history, arrivals, batchSize }) => {
    await deleteAllFacts();
    const batches: facts.Fact[][] = [];
    const facts = arrivals.map(factOf);
    while (facts.length > 0) batches.push(facts.splice(0, batchSize));
    // Two at a time, as two replicas would.
    for (let i = 0; i < batches.length; i += 2) await Promise.all(batches.slice(i, i + 2).map(deliver));
    await expectRecomputed(history);
    const incremental = await rollups();
    await rebuildRollups(database, 'acc_a');
    expect(await rollups()).toEqual(incremental);
    await rebuildRollups(database, null);
    expect(await rollups()).toEqual(incremental);
  });
  await fc.assert(property, randomRuns(20, 1_000));
});

test('a renewal that comes again under another event counts once for its period, and each pause and resume for itself', async () => {
  const { subscriptionId } = samples.subscriptionEvent('acc_a', 'prd_1').data;
  const paid = (period: number) =>
    facts.factOfRenewal(samples.renewalEvent('acc_a', 'prd_1', { subscriptionId, period }));
  await deliver([paid(2), paid(2), paid(3)]);
  await deliver([paid(2)]);
  const rests = () => [
    facts.factOfPause(samples.pauseEvent('acc_a', 'prd_1', { subscriptionId })),
    facts.factOfResumption(samples.resumptionEvent('acc_a', 'prd_1', { subscriptionId })),
  ];
  const again = rests();
  await deliver([...again, ...rests(), ...rests().slice(0, 1)]);
  await deliver(again);
  const seen = await rollups();
  expect(seen.product_totals).toMatchObject([
    { orders: 0, revenue_cents: 3800, order_cents: 0, active_subscriptions: -1, mrr_cents: -1900 },
  ]);
  expect(seen.product_months).toMatchObject([{ month: '2026-02', revenue_cents: 3800, renewal_cents: 3800 }]);
});

test('an order or a beginning that comes again under another event counts once, also in one batch', async () => {
  const order = samples.orderEvent('acc_a', 'prd_1', { totalCents: 700 });
  const subscription = samples.subscriptionEvent('acc_a', 'prd_1');
  const again = (id: string) => [
    facts.factOfOrder({ ...order, id }),
    facts.factOfSubscription({ ...subscription, id: `${id}s` }),
  ];
  await deliver([...again('evt_1'), ...again('evt_2')]);
  await deliver([...again('evt_3'), facts.factOfOrder({ ...order, id: 'evt_4', accountId: 'acc_b' })]);
  const seen = await rollups();
  expect(seen.product_totals).toMatchObject([
    { account_id: 'acc_a', orders: 1, revenue_cents: 700, active_subscriptions: 1, mrr_cents: 1900, customers: 1 },
    { account_id: 'acc_b', orders: 1, active_subscriptions: 0 },
  ]);
  await rebuildRollups(database, null);
  expect(await rollups()).toEqual(seen);
});

test('a refund, its failure and a cancellation that come again under another event count once, and each number of a refund for itself', async () => {
  const order = samples.orderEvent('acc_a', 'prd_1', { totalCents: 700 }).data;
  const subscription = samples.subscriptionEvent('acc_a', 'prd_1').data;
  const again = (refundNo: number) => [
    facts.factOfRefund(samples.refundEvent('acc_a', 'prd_1', { orderId: order.orderId, totalCents: 700, refundNo })),
    facts.factOfCancellation(
      samples.cancellationEvent('acc_a', 'prd_1', { subscriptionId: subscription.subscriptionId }),
    ),
  ];
  const reopening = () =>
    facts.factOfReopening(
      samples.reopeningEvent('acc_a', 'prd_1', { orderId: order.orderId, totalCents: 700, refundNo: 1 }),
    );
  const seen = async () => (await rollups()).product_totals;
  await deliver([...again(1), ...again(1)]);
  await deliver(again(1));
  expect(await seen()).toMatchObject([{ refunds: 1, refunded_cents: 700, active_subscriptions: -1, mrr_cents: -1900 }]);
  await deliver([reopening(), reopening()]);
  await deliver([reopening()]);
  expect(await seen()).toMatchObject([{ refunds: 0, refunded_cents: 0 }]);
  await deliver([...again(2), ...again(1)]);
  expect(await seen()).toMatchObject([{ refunds: 1, refunded_cents: 700 }]);
});

test('the monthly series of a product begin with its first sale, not with a visit or a refund', async () => {
  await deliver([
    facts.factOfVisit(samples.visitEvent('acc_a', 'prd_1', { visitedAt: '2025-01-05T00:00:00.000Z' })),
    facts.factOfRefund(samples.refundEvent('acc_a', 'prd_1', { refundedAt: '2025-02-05T00:00:00.000Z' })),
    facts.factOfOrder(samples.orderEvent('acc_a', 'prd_1', { paidAt: '2025-03-05T00:00:00.000Z' })),
  ]);
  const seen = await rollups();
  expect(seen.product_months).toMatchObject([{ month: '2025-03' }]);
  expect(seen.product_totals).toMatchObject([{ views: 1, refunds: 1, orders: 1 }]);
});

const manyOrders = (count: number, product: (index: number) => string): facts.Fact[] =>
  Array.from({ length: count }, (_, index) =>
    facts.factOfOrder(
      samples.orderEvent('acc_a', product(index), { customerEmail: `buyer${index % 500}@x.io`, totalCents: 100 }),
    ),
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

test('reading numbers reads the roll-ups of one product by index, and never at facts', async () => {
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

test('a kind that no index names counts once for each key, whatever ids its events have', async () => {
  const fact = facts.factOfVisit(samples.visitEvent('acc_a', 'prd_1'));
  const ofLaterKind = (id: string, key: string) =>
    ({ ...fact, event_id: id, fact_key: key, kind: 'discount_created' }) as unknown as facts.Fact;
  await deliver([ofLaterKind('evt_1', 'dsc_1'), ofLaterKind('evt_2', 'dsc_1'), ofLaterKind('evt_3', 'dsc_2')]);
  await deliver([ofLaterKind('evt_4', 'dsc_2')]);
  const { rows } = await database.pool.query('select event_id from facts order by event_id');
  expect(rows).toEqual([{ event_id: 'evt_1' }, { event_id: 'evt_3' }]);
});

test('a mark without a column is kept beside those that have one, and explained with them', async () => {
  const order = facts.factOfOrder(samples.orderEvent('acc_a', 'prd_1', { upsellShown: true, source: 'checkout' }));
  await deliver([
    { ...order, marks: [...order.marks, 'gift'] } as unknown as facts.Fact,
    facts.factOfVisit(samples.visitEvent('acc_a', 'prd_1')),
  ]);
  const { rows } = await database.pool.query(
    `select marks, has_bump, upsell_shown, from_checkout, ${marksOfFact} as all from facts order by kind`,
  );
  const none = { marks: null, has_bump: false, upsell_shown: false, from_checkout: false, all: [] };
  const all = ['gift', 'upsell_shown', 'from_checkout'];
  expect(rows).toEqual([none, { marks: ['gift'], has_bump: false, upsell_shown: true, from_checkout: true, all }]);
});
