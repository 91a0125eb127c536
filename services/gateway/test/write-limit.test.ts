import { newId } from '@app/contracts/ids';
import { refundOrder } from '@app/contracts/orders';
import { onRequest } from '@app/messaging/serve-requests';
import { createArrivals } from '@app/testing/arrivals';
import { untilBlocked } from '@app/testing/poll-system';
import { lockRows, query } from '@app/testing/sql';
import { expect, test } from 'vitest';
import { createSeller, serveAs } from './harness.ts';
import { send } from './http.ts';
import { database, harness, seller, sellerForEachTest, startGateway, url } from './set-up.ts';

startGateway();
sellerForEachTest();

const settings = '/api/v1/settings';

/** Sessions of the gateway that wait for a lock. */
async function waiting(): Promise<number> {
  const [row] = await query<{ count: number }>(
    harness.database.url,
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and application_name = 'gateway' and wait_event_type = 'Lock'`,
  );
  return row?.count ?? 0;
}

test('changes of one account that wait for each other leave connections to everybody else', async () => {
  const other = await createSeller(url);
  const release = await lockRows(harness.database.url, 'accounts', seller.accountId, 'id');
  // More than the ten connections of its database.
  const changes = Array.from({ length: 12 }, (_, i) =>
    send(url, 'PATCH', settings, { key: seller.key, body: { commissionHoldDays: i } }),
  );
  try {
    await untilBlocked(database, 4);
    expect((await send(url, 'GET', settings, { key: other.key })).status).toBe(200);
    expect((await send(url, 'PATCH', settings, { key: other.key, body: { commissionHoldDays: 1 } })).status).toBe(200);
    // A session whose wait lasts is awake for the moment in which it searches for a deadlock.
    expect(await waiting()).toBeLessThanOrEqual(4);
  } finally {
    await release();
  }
  expect((await Promise.all(changes)).map(({ status }) => status)).toEqual(Array(12).fill(200));
});

test('refunds that wait for a payment processor hold up no other change of their account, and not each other', async () => {
  const answered = Promise.withResolvers<void>();
  const requested = createArrivals<string>();
  const checkout = await serveAs(harness.nats, 'checkout', [
    onRequest(refundOrder, async ({ orderId }) => {
      requested.push(orderId);
      await answered.promise;
      return { ok: true as const, orderId, status: 'refunded' as const, refundedCents: 100, detail: 'Given back.' };
    }),
  ]);
  const refunds = Array.from({ length: 6 }, (_, i) =>
    send(url, 'POST', `/api/v1/orders/${newId('order', i + 1)}/refund`, { key: seller.key }),
  );
  try {
    await requested.wait(6);
    expect((await send(url, 'PATCH', settings, { key: seller.key, body: { commissionHoldDays: 1 } })).status).toBe(200);
    expect(requested.list).toHaveLength(6);
  } finally {
    answered.resolve();
    await Promise.all(refunds);
    await checkout.close();
  }
  expect((await Promise.all(refunds)).map(({ status }) => status)).toEqual(Array(6).fill(200));
});
