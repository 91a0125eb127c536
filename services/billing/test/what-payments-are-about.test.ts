import { openForFile } from '@app/testing/opened';
import { createMigratedDatabase, type TestDatabase } from '@app/testing/postgres';
import { query } from '@app/testing/sql';
import { expect, test } from 'vitest';
import { migrate } from '../src/db/migrate.ts';

let created: TestDatabase;
openForFile(async () => {
  created = await createMigratedDatabase('billing', migrate);
  return created;
});

let count = 0;
async function payment(
  step: string,
  attemptNo: number,
  about: Record<string, string>,
  declined = false,
): Promise<void> {
  count += 1;
  await query(
    created.url,
    `insert into payments (${['step', 'attempt_no', ...Object.keys(about)].join(', ')}, id, account_id, order_id, call, request,
       amount_cents, currency, status, decline_reason, processor, customer_email, product_name, test, created_at, finished_at)
     values (${[`'${step}'`, attemptNo, ...Object.values(about)].join(', ')}, 'pmt_${count}', 'acc_1', 'ord_1', 'charge', '{}', 100,
       'usd', '${declined ? 'declined' : 'succeeded'}', ${declined ? `'card_declined'` : 'null'}, 'simulated', 'a@example.com',
       'Course', false, now(), now())`,
  );
}

test('each payment names its charge, payment or period, and none can be made a second time', async () => {
  const [refunded, released, twelfth] = [
    { charge_id: `'pmt_1'` },
    { released_payment_id: `'pmt_1'` },
    { period: '12' },
  ];
  await payment('main', 1, {});
  await payment('capture', 1, {});
  await payment('refund', 1, refunded, true);
  await payment('release', 1, released);
  await payment('renewal', 1, twelfth, true);
  await payment('renewal', 2, twelfth);
  const second = { constraint: 'payments_one_of_step' };
  await expect(payment('main', 2, {})).rejects.toMatchObject(second);
  await expect(payment('recharge', 2, {})).rejects.toMatchObject(second);
  await expect(payment('release', 2, released)).rejects.toMatchObject(second);
  await expect(payment('renewal', 3, twelfth)).rejects.toMatchObject(second);
  const sameAttempt = { constraint: 'one_row_for_each_attempt' };
  await expect(payment('main', 1, {}, true)).rejects.toMatchObject(sameAttempt);
  await expect(payment('refund', 1, refunded, true)).rejects.toMatchObject(sameAttempt);
  await expect(payment('renewal', 1, twelfth, true)).rejects.toMatchObject(sameAttempt);
  await expect(payment('refund', 2, {})).rejects.toMatchObject({ constraint: 'a_refund_has_a_charge' });
  await expect(payment('renewal', 3, {})).rejects.toMatchObject({ constraint: 'a_renewal_has_a_period' });
  await expect(payment('release', 2, {})).rejects.toMatchObject({ constraint: 'a_release_has_a_payment' });
  await payment('renewal', 1, { period: '13' });
});
