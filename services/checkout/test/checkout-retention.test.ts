import { openDatabase } from '@app/service-kit/database';
import { deleteExpired } from '@app/service-kit/retention';
import { beforeEach, expect, test } from 'vitest';
import { databaseOptions } from '../src/db/migrate.ts';
import { retention } from '../src/db/retention.ts';
import { plainCourse } from './checkout-harness.ts';
import { harness, harnessForEachTest } from './set-up.ts';

harnessForEachTest();

beforeEach(() => harness.base.start());

const dayMs = 86_400_000;
const count = async (table: string) => (await harness.query(`select 1 from ${table}`)).length;

/** What the hourly run does, so many days later. */
async function runAfter(days: number): Promise<void> {
  harness.base.clock.advance(days * dayMs);
  const database = await openDatabase(databaseOptions(harness.base.database.url));
  await deleteExpired(database, retention(harness.base.clock));
  await database.close();
}

test('visits are kept for their day and the next one', async () => {
  await harness.open();
  await runAfter(1);
  expect(await count('visits')).toBe(1);
  await runAfter(1);
  expect(await count('visits')).toBe(0);
});

test('a checkout that was not paid is closed after 30 days and deleted after 60; paid and held money stays', async () => {
  const email = 'ada@example.com';
  const [stalled, declined, unknown, paid] = [
    await harness.open({ email }),
    await harness.open({ email }),
    await harness.open({ email }),
    await harness.open({ email }),
  ];
  await harness.pay(declined, 'declined');
  await harness.pay(unknown, 'unknown');
  await harness.pay(paid);
  await runAfter(29);
  expect(await harness.get(stalled)).toMatchObject({ status: 'open' });
  await runAfter(2);
  expect(await harness.get(stalled)).toMatchObject({ status: 'expired', totalCents: 9_900 });
  expect(await harness.pay(stalled)).toEqual({ status: 'expired', totalCents: 9_900 });
  expect(await harness.get(declined)).toMatchObject({ status: 'expired' });
  await runAfter(30);
  await expect(harness.get(stalled)).rejects.toMatchObject({ code: 'checkout_not_found' });
  await expect(harness.get(declined)).rejects.toMatchObject({ code: 'checkout_not_found' });
  expect(await harness.get(unknown)).toMatchObject({ status: 'processing' });
  expect(await harness.get(paid)).toMatchObject({ status: 'paid' });
  expect(await count('checkout_attempts')).toBe(2);
});

test('digests of a buyer are kept for two days, and with a subscription until 30 days after its end', async () => {
  const kept = async () => await count('checkout_attempts where buyer_digests is not null');
  const from = ['address'];
  await harness.pay(await harness.open({ email: 'once@example.com' }), 'ok', { from });
  const monthly = { pricingType: 'subscription', billingInterval: 'month' } as const;
  harness.shop.set('acc_1/course', { ...plainCourse, ...monthly });
  const { orderId } = await harness.pay(await harness.open({ email: 'club@example.com' }), 'ok', { from });
  await runAfter(1);
  expect(await kept()).toBe(2);
  await runAfter(1);
  expect(await kept()).toBe(1);
  const endedAt = harness.base.clock.now().toISOString();
  await harness.query(`insert into sold_subscriptions (id, account_id, order_id, email, product_id, ended_at)
    values ('sub_1', 'acc_1', '${orderId}', 'club@example.com', '${plainCourse.productId}', '${endedAt}')`);
  await runAfter(29);
  expect([await kept(), await count('sold_subscriptions')]).toEqual([1, 1]);
  await runAfter(2);
  expect([await kept(), await count('sold_subscriptions')]).toEqual([0, 0]);
});
