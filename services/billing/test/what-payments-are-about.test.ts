import { migrateUp } from '@app/service-kit/migrations';
import { guardLeaks } from '@app/testing/leak-guard';
import { createTestDatabase } from '@app/testing/postgres';
import { query } from '@app/testing/sql';
import { expect, test } from 'vitest';
import { databaseOptions, migrate } from '../src/db/migrate.ts';
import { migrations } from '../src/db/migrations/index.ts';

guardLeaks();

/** Columns that every row has, after those that differ. */
const columns = `id, account_id, order_id, call, request, amount_cents, currency, status, decline_reason, processor,
  customer_email, product_name, test, created_at, finished_at`;
const rest = (id: string, declined: boolean) => `'${id}', 'acc_1', 'ord_1', 'charge', '{}', 100, 'usd',
  '${declined ? 'declined' : 'succeeded'}', ${declined ? `'card_declined'` : 'null'}, 'simulated', 'a@example.com', 'Course', false, now(), now()`;

test('after the upgrade each payment names its charge, payment or period, and none can be made a second time', async () => {
  const old = await createTestDatabase();
  const run = (sql: string) => query<Record<string, unknown>>(old.url, sql);
  const before = (step: string, subject: string, tryNo: number, declined = false) =>
    run(`insert into payments (step, subject, try_no, ${columns})
      values ('${step}', '${subject}', ${tryNo}, ${rest(`pmt_${step}_${tryNo}`, declined)})`);
  const after = (step: string, tryNo: number, about: Record<string, string>, declined = false) =>
    run(`insert into payments (${['step', 'try_no', ...Object.keys(about)].join(', ')}, ${columns})
      values (${[`'${step}'`, tryNo, ...Object.values(about)].join(', ')}, ${rest(`pmt_x_${step}`, declined)})`);
  try {
    const upgrade = migrations.findIndex(({ name }) => name === '0044-what-payments-are-about');
    await migrateUp({ ...databaseOptions(old.url), migrations: migrations.slice(0, upgrade) });
    await before('main', '', 1);
    await before('capture', '', 1);
    await before('refund', 'pmt_main_1', 1, true);
    await before('release', 'pmt_main_1', 1);
    await before('renewal', '12', 1, true);
    await before('renewal', '12', 2);
    await migrate(old.url);
    const none = { charge_id: null, released_payment_id: null, period: null };
    expect(await run('select id, charge_id, released_payment_id, period from payments order by id')).toEqual([
      { ...none, id: 'pmt_capture_1' },
      { ...none, id: 'pmt_main_1' },
      { ...none, id: 'pmt_refund_1', charge_id: 'pmt_main_1' },
      { ...none, id: 'pmt_release_1', released_payment_id: 'pmt_main_1' },
      { ...none, id: 'pmt_renewal_1', period: 12 },
      { ...none, id: 'pmt_renewal_2', period: 12 },
    ]);
    const second = 'payments_one_of_step';
    await expect(after('main', 2, {})).rejects.toMatchObject({ constraint: second });
    await expect(after('recharge', 2, {})).rejects.toMatchObject({ constraint: second });
    await expect(after('release', 2, { released_payment_id: `'pmt_main_1'` })).rejects.toMatchObject({
      constraint: second,
    });
    await expect(after('renewal', 3, { period: '12' })).rejects.toMatchObject({ constraint: second });
    const sameTry = 'one_row_for_each_try';
    await expect(after('main', 1, {}, true)).rejects.toMatchObject({ constraint: sameTry });
    await expect(after('refund', 1, { charge_id: `'pmt_main_1'` }, true)).rejects.toMatchObject({
      constraint: sameTry,
    });
    await expect(after('renewal', 1, { period: '12' }, true)).rejects.toMatchObject({ constraint: sameTry });
    await expect(after('refund', 2, {})).rejects.toMatchObject({ constraint: 'a_refund_has_a_charge' });
    await expect(after('renewal', 3, {})).rejects.toMatchObject({ constraint: 'a_renewal_has_a_period' });
    await expect(after('release', 2, {})).rejects.toMatchObject({ constraint: 'a_release_has_a_payment' });
    await after('renewal', 1, { period: '13' });
  } finally {
    await old.close();
  }
});
