import { openDatabase } from '@app/service-kit/database';
import { migrateUp } from '@app/service-kit/migrations';
import { fakeClock } from '@app/testing/fake-clock';
import { guardLeaks } from '@app/testing/leak-guard';
import { createTestDatabase } from '@app/testing/postgres';
import { query } from '@app/testing/sql';
import { expect, test } from 'vitest';
import { databaseOptions, migrate } from '../src/db/migrate.ts';
import { migrations } from '../src/db/migrations/index.ts';
import { getOverview } from '../src/overview/get-overview.ts';
import { rebuildRollups } from '../src/rollups/rebuild-rollups.ts';

guardLeaks();

/** What the version before recorded of a batch: facts, and the totals of their product, of generation 3. */
async function recordAsBefore(url: string, ids: readonly string[], at: string): Promise<void> {
  const [order, start, refund, visit] = ids;
  await query(
    url,
    `insert into facts (event_id, account_id, product_id, subject_id, kind, occurred_at, test, currency, amount_cents,
       mrr_cents, active_delta, marks, has_bump, has_upsell, from_checkout)
     values ($1, 'acc_a', 'prd_1', $1, 'order_paid', $5, false, 'eur', 900, 0, 0, null, true, false, true),
       ($2, 'acc_a', 'prd_1', $2, 'subscription_started', $5, false, 'eur', 300, 300, null, null, false, false, false),
       ($3, 'acc_a', 'prd_1', $3, 'payment_refunded', $5, false, 'eur', 40, 0, 0, '{counted_before}', false, false, false),
       ($4, 'acc_a', 'prd_1', $4, 'checkout_visited', $5, false, null, 0, 0, 0, null, false, false, false),
       ($1 || 't', 'acc_a', 'prd_1', $1 || 't', 'order_paid', $5, true, 'eur', 900, 0, 0, null, true, false, true)`,
    [order, start, refund, visit, at],
  );
  await query(
    url,
    `insert into product_totals as t (account_id, generation, product_id, orders, active_subscriptions, mrr_cents)
     values ('acc_a', 3, 'prd_1', 1, 1, 300)
     on conflict (account_id, generation, product_id) do update set orders = t.orders + 1,
       active_subscriptions = t.active_subscriptions + 1, mrr_cents = t.mrr_cents + 300`,
  );
}

test('what was recorded before the days were counted, and by replicas of that version afterwards, is in the overview', async () => {
  const old = await createTestDatabase();
  const database = await openDatabase(databaseOptions(old.url));
  try {
    const before = migrations.findIndex(({ name }) => name === '0010-product-days');
    await migrateUp({ ...databaseOptions(old.url), migrations: migrations.slice(0, before) });
    await query(old.url, `insert into rollup_generations values ('acc_a', 3)`);
    await query(old.url, `insert into products values ('acc_a', 'prd_1', 'Club', 'subscription')`);
    await recordAsBefore(old.url, ['o1', 's1', 'r1', 'v1'], '2026-02-28T23:59:59.999Z');
    await migrate(old.url);
    const clock = fakeClock('2026-03-15T12:00:00.000Z');
    const read = () => getOverview({ database, clock }, 'acc_a', { from: '2026-02-28', to: '2026-03-01' });
    const once = { revenueCents: 900, orders: 1, refunds: 0, refundedCents: 40, mrrCents: 300, activeSubscriptions: 1 };
    expect((await read()).currencies).toMatchObject([
      { currency: 'eur', current: once, series: [once, { orders: 0 }] },
    ]);
    await recordAsBefore(old.url, ['o2', 's2', 'r2', 'v2'], '2026-02-28T12:00:00.000Z');
    await recordAsBefore(old.url, ['o3', 's3', 'r3', 'v3'], '2026-03-01T00:00:00.000Z');
    const found = await read();
    expect(found).toMatchObject({
      currencies: [
        {
          current: {
            revenueCents: 2700,
            orders: 3,
            refunds: 0,
            refundedCents: 120,
            mrrCents: 900,
            activeSubscriptions: 3,
          },
          series: [{ date: '2026-02-28', orders: 2 }, once].map(({ orders }) => ({ orders })),
        },
      ],
      visits: { current: { views: 3, conversionRate: 1 } },
    });
    await rebuildRollups(database, null);
    expect(await read()).toEqual(found);
  } finally {
    await database.close();
    await old.close();
  }
});

test('the currency of a product that was first sold by a replica of the version before is known', async () => {
  const old = await createTestDatabase();
  const database = await openDatabase(databaseOptions(old.url));
  try {
    await migrate(old.url);
    await query(old.url, `insert into rollup_generations values ('acc_a', 3)`);
    await query(
      old.url,
      `insert into product_totals (account_id, generation, product_id) values ('acc_a', 3, 'prd_1')`,
    );
    await recordAsBefore(old.url, ['o1', 's1', 'r1', 'v1'], '2026-03-01T00:00:00.000Z');
    const clock = fakeClock('2026-03-15T12:00:00.000Z');
    const { currencies } = await getOverview({ database, clock }, 'acc_a', {});
    expect(currencies).toMatchObject([{ currency: 'eur', current: { orders: 1 } }]);
  } finally {
    await database.close();
    await old.close();
  }
});
