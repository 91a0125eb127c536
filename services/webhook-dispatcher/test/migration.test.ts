import { newId } from '@app/contracts/ids';
import { openDatabase } from '@app/service-kit/database';
import { migrateUp } from '@app/service-kit/migrations';
import { guardLeaks } from '@app/testing/leak-guard';
import { createTestDatabase } from '@app/testing/postgres';
import { expect, test } from 'vitest';
import { materialiseStatement } from '../src/automations/automation-row.ts';
import { builtIns } from '../src/automations/built-in.rules.ts';
import { databaseOptions, migrate } from '../src/db/migrate.ts';
import { migrations } from '../src/db/migrations/index.ts';

guardLeaks();

const madeAt = Date.parse('2026-01-31T23:59:00Z');
const hourMs = 3_600_000;
const ids = (kind: 'event' | 'delivery' | 'attempt', count: number) =>
  Array.from({ length: count }, (_, n) => newId(kind, madeAt + n * hourMs));

/** The database as the migrations before 0006 leave it. */
async function beforePartitions() {
  const old = await createTestDatabase();
  const before = migrations.findIndex(({ name }) => name === '0006-kept-in-partitions');
  await migrateUp({ ...databaseOptions(old.url), migrations: migrations.slice(0, before) });
  const database = await openDatabase(databaseOptions(old.url));
  return {
    url: old.url,
    run: async (sql: string) => (await database.pool.query<Record<string, unknown>>(sql)).rows,
    close: async () => {
      await database.close();
      await old.close();
    },
  };
}

test('rows of before move to the new tables, each to the partition of its id; a migration that is cut off leaves nothing', async () => {
  const { run, ...old } = await beforePartitions();
  const [events, deliveries, attempts] = [ids('event', 4), ids('delivery', 4), ids('attempt', 2)];
  const notice = newId('notice', madeAt);
  try {
    const body = (n: number) => (n === 0 ? '' : JSON.stringify({ email: 'ada@example.com', productId: 'prd_1' }));
    const statuses = ['delivered', 'failed', 'held', 'canceled'];
    for (const [n, id] of events.entries()) {
      await run(`insert into events (id, account_id, name, order_id, test, body, occurred_at)
        values ('${id}', 'acc_1', 'order.paid', 'ord_${n}', false, '${body(n)}', '2026-01-31T12:00:00Z')`);
      await run(`insert into deliveries (id, event_id, endpoint_id, account_id, status, attempts, next_attempt_at, created_at)
        values ('${deliveries[n]}', '${id}', 'whe_1', 'acc_1', '${statuses[n]}', ${n === 1 ? 12 : 1}, now(), now())`);
    }
    for (const [n, id] of attempts.entries())
      await run(`insert into attempts (id, account_id, delivery_id, number, created_at, url, duration_ms, response_excerpt, outcome)
        values ('${id}', 'acc_1', '${deliveries[n]}', 1, '2026-02-01T00:00:00Z', 'u', 1, repeat('x', 300), '${statuses[n]}')`);
    await run(`insert into notices values ('${notice}', 'acc_1', now(), 'Something', null, null, false)`);
    // Its transaction ends at this table, which it makes last.
    await run('create table account_logs (of text)');
    await expect(migrate(old.url)).rejects.toThrow();
    expect(await run('select count(*)::int as count from events')).toEqual([{ count: 4 }]);
    await run('drop table account_logs');
    await migrate(old.url);
    expect(await migrate(old.url)).toEqual([]);
    expect(await run('select id, sequence::int, email, delivery_ids, endpoint_ids from events order by id')).toEqual(
      events.map((id, n) => ({
        ...{ id, sequence: n + 1, email: n === 0 ? null : 'ada@example.com' },
        ...{ delivery_ids: [deliveries[n]], endpoint_ids: ['whe_1'] },
      })),
    );
    expect(await run('select last_sequence::int from account_logs')).toEqual([{ last_sequence: 4 }]);
    expect(
      await run('select tableoid::regclass::text as at, event_id as id from event_bodies order by event_id'),
    ).toEqual(events.slice(1).map((id) => ({ id, at: 'event_bodies_20260201' })));
    expect(await run('select id, status, event_name, attempts from deliveries')).toEqual([
      { id: deliveries[2], status: 'held', event_name: 'order.paid', attempts: 1 },
    ]);
    expect(
      await run('select id, status, reason, tableoid::regclass::text as at from finished_deliveries order by id'),
    ).toEqual([
      { id: deliveries[0], status: 'delivered', reason: null, at: 'finished_deliveries_202601' },
      { id: deliveries[1], status: 'failed', reason: 'tries', at: 'finished_deliveries_202602' },
      { id: deliveries[3], status: 'canceled', reason: 'removed', at: 'finished_deliveries_202602' },
    ]);
    expect(await run('select id, endpoint_id, length(response_excerpt) as length from attempts order by id')).toEqual([
      { id: attempts[0], endpoint_id: 'whe_1', length: null },
      { id: attempts[1], endpoint_id: 'whe_1', length: 200 },
    ]);
    expect(await run('select distinct length(response) as length from attempt_responses')).toEqual([{ length: 300 }]);
    expect(await run('select id, tableoid::regclass::text as at from notices')).toEqual([
      { id: notice, at: 'notices_202601' },
    ]);
  } finally {
    await old.close();
  }
});

test('what waits since a month of which nothing was finished can be finished after the migration', async () => {
  const { run, ...old } = await beforePartitions();
  const dayMs = 24 * hourMs;
  const times = [madeAt - 40 * dayMs, madeAt, madeAt + 40 * dayMs];
  const waiting = times.map((ms) => newId('delivery', ms));
  try {
    for (const [n, ms] of times.entries()) {
      const eventId = newId('event', ms);
      await run(`insert into events (id, account_id, name, order_id, test, body, occurred_at)
        values ('${eventId}', 'acc_1', 'order.paid', 'ord_${n}', false, '{}', now())`);
      await run(`insert into deliveries (id, event_id, endpoint_id, account_id, status, attempts, next_attempt_at, created_at)
        values ('${waiting[n]}', '${eventId}', 'whe_1', 'acc_1', '${n === 1 ? 'delivered' : 'held'}', 0, now(), now())`);
    }
    await migrate(old.url);
    await run(`insert into finished_deliveries (id, account_id, event_id, endpoint_id, event_name, test, status, reason,
        attempts, created_at, finished_at)
      select id, account_id, event_id, endpoint_id, event_name, test, 'failed', 'expired', 0, now(), now() from deliveries`);
    expect(await run('select id, tableoid::regclass::text as at from finished_deliveries order by id')).toEqual([
      { id: waiting[0], at: 'finished_deliveries_202512' },
      { id: waiting[1], at: 'finished_deliveries_202601' },
      { id: waiting[2], at: 'finished_deliveries_202603' },
    ]);
  } finally {
    await old.close();
  }
});

test('the notice of a failed renewal leads to a page for another card, but for accounts that changed its text', async () => {
  const old = await createTestDatabase();
  const before = migrations.findIndex(({ name }) => name === '0020-card-link');
  await migrateUp({ ...databaseOptions(old.url), migrations: migrations.slice(0, before) });
  const database = await openDatabase(databaseOptions(old.url));
  const text = 'Hello,\n\nthe payment of {{amount}} for {{product}} did not go through.\n\n';
  const untouched =
    text +
    'To use another card, or if you have questions, reply to this email or write to {{supportEmail}}.\n\n{{businessName}}\n';
  const notice = builtIns.find(({ key }) => key === 'payment_failed_notice');
  try {
    const rows = [untouched, `${text}Write to me.\n`, untouched].map((body, n) => ({
      id: `aut_${n}`,
      account_id: `acc_${n}`,
      name: 'Notice',
      built_in: n === 2 ? 'receipt' : 'payment_failed_notice',
      event: 'subscription.payment_failed',
      action: { ...notice?.action, body },
      created_at: new Date(madeAt),
    }));
    await database.pool.query(materialiseStatement([JSON.stringify(rows)]));
    await migrate(old.url);
    const stored = await database.pool.query(`select action ->> 'body' as body from endpoints order by id`);
    expect(stored.rows.map(({ body }) => body)).toEqual([notice?.action.body, `${text}Write to me.\n`, untouched]);
  } finally {
    await database.close();
    await old.close();
  }
});
