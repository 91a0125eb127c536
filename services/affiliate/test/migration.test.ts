import { migrateUp } from '@app/service-kit/migrations';
import { guardLeaks } from '@app/testing/leak-guard';
import { createTestDatabase } from '@app/testing/postgres';
import { query } from '@app/testing/sql';
import { expect, test } from 'vitest';
import { databaseOptions, migrate } from '../src/db/migrate.ts';
import { migrations } from '../src/db/migrations/index.ts';

guardLeaks();

test('commissions of before get due dates, terms and entries in the ledger; a migration that is cut off leaves nothing', async () => {
  const old = await createTestDatabase();
  const run = (sql: string) => query<Record<string, unknown>>(old.url, sql);
  try {
    const before = migrations.findIndex(({ name }) => name === '0006-ledger');
    await migrateUp({ ...databaseOptions(old.url), migrations: migrations.slice(0, before) });
    await run(`insert into affiliates (account_id, id, code, name, email, commission_basis_points, renewal_months, created_at)
      values ('acc_1', 'aff_1', 'PAT', 'Pat', 'p@example.com', 3000, 6, now())`);
    await run(`insert into commissions (account_id, id, affiliate_id, order_id, amount_cents, currency, status, created_at)
      select 'acc_1', 'com_' || n, 'aff_1', 'ord_' || n, cents, 'eur', status, '2026-01-10T08:00:00Z'
      from (values (1, 1470, 'pending'), (2, 500, 'voided'), (3, 0, 'pending'), (4, 200, 'pending')) as c(n, cents, status)`);
    // Its transaction ends at this table, which it makes last.
    await run('create table waiting_renewals (of text)');
    await expect(migrate(old.url)).rejects.toThrow();
    expect(await run(`select from pg_tables where tablename in ('payouts', 'ledger_entries')`)).toEqual([]);
    await run('drop table waiting_renewals');
    await migrate(old.url);
    expect(await migrate(old.url)).toEqual([]);
    expect(
      await run(`select id, kind, turn, status, due_at::text, commission_basis_points as points, renewal_months as months
        from commissions where id in ('com_1', 'com_2') order by id`),
    ).toEqual([
      { id: 'com_1', kind: 'sale', turn: 0, status: 'pending', due_at: expect.any(String), points: 3000, months: 6 },
      { id: 'com_2', kind: 'sale', turn: 0, status: 'voided', due_at: expect.any(String), points: 3000, months: 6 },
    ]);
    expect(await run(`select distinct extract(day from due_at - created_at)::int as days from commissions`)).toEqual([
      { days: 30 },
    ]);
    expect(
      await run('select id, kind, debit, credit, amount_cents::int, order_id from ledger_entries order by entry_no'),
    ).toEqual([
      { id: 'led_1', kind: 'commission', debit: 'expense', credit: 'owed', amount_cents: 1470, order_id: 'ord_1' },
      { id: 'led_4', kind: 'commission', debit: 'expense', credit: 'owed', amount_cents: 200, order_id: 'ord_4' },
    ]);
    expect(
      await run(`select ledger_account, sum(amount_cents)::int from ledger_postings group by 1 order by 1`),
    ).toEqual([
      { ledger_account: 'expense', sum: -1670 },
      { ledger_account: 'owed', sum: 1670 },
    ]);
  } finally {
    await old.close();
  }
});
