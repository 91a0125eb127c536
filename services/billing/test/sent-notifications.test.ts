import { migrateUp } from '@app/service-kit/migrations';
import { guardLeaks } from '@app/testing/leak-guard';
import { createTestDatabase } from '@app/testing/postgres';
import { query } from '@app/testing/sql';
import { expect, test } from 'vitest';
import { databaseOptions, migrate } from '../src/db/migrate.ts';
import { migrations } from '../src/db/migrations/index.ts';

guardLeaks();

test('what sellers were notified of before the upgrade is remembered after it, and no result of a command is lost', async () => {
  const old = await createTestDatabase();
  const run = (sql: string) => query<Record<string, unknown>>(old.url, sql);
  try {
    const before = migrations.findIndex(({ name }) => name === '0043-sent-notifications');
    await migrateUp({ ...databaseOptions(old.url), migrations: migrations.slice(0, before) });
    await run(`insert into commands (id, result, created_at) select id, '{}', '2026-01-10T00:00:00Z' from unnest(array[
      'daily-run overdue acc_1 first', 'daily-run charge_limit acc_2 2026-01-10', 'no payment processor acc_1 2026-01-10',
      'renewal not received ord_8 3', 'a command']) as id`);
    await run(`insert into told_orphans (account_id, processor, side, kind, id, told_at)
      values ('acc_1', 'simulated', 'processor', 'charge', 'ch_1', '2026-01-10T00:00:00Z')`);
    await run(`insert into processor_settings (account_id, processor, chosen, updated_at, unreadable_told_at)
      values ('acc_1', 'simulated', true, now(), '2026-01-10T00:00:00Z'), ('acc_2', 'simulated', true, now(), null)`);
    await run(`insert into payments (id, account_id, order_id, step, subject, try_no, call, request, amount_cents, currency, status,
        processor, customer_email, product_name, test, created_at, next_check_at, noticed)
      select 'pmt_' || order_id, 'acc_3', order_id, 'main', '', 1, 'charge', '{}', 100, 'usd', 'unknown', 'simulated',
        'a@example.com', 'Course', false, now(), now(), order_id = 'ord_1' from unnest(array['ord_1', 'ord_2']) as order_id`);
    await migrate(old.url);
    expect(
      await run(`select account_id, subject, (extract(epoch from kept_until - sent_at) / 86400)::int as days
        from sent_notifications order by 1, 2`),
    ).toEqual([
      // Of a renewal whose payment is not there any more.
      { account_id: '', subject: 'renewal not received ord_8 3', days: 31 },
      { account_id: 'acc_1', subject: 'key unreadable simulated', days: 31 },
      { account_id: 'acc_1', subject: 'no payment processor 2026-01-10', days: 31 },
      { account_id: 'acc_1', subject: 'orphan simulated processor charge ch_1', days: 396 },
      { account_id: 'acc_1', subject: 'overdue first', days: 31 },
      { account_id: 'acc_2', subject: 'charge_limit 2026-01-10', days: 31 },
      { account_id: 'acc_3', subject: 'payment unknown pmt_ord_1', days: 3_650 },
    ]);
    expect(await run('select id from commands')).toEqual([{ id: 'a command' }]);
  } finally {
    await old.close();
  }
});
