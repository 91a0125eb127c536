import { eventually } from '@app/testing/eventually';
import { lockRows, query } from '@app/testing/sql';
import { expect, test } from 'vitest';
import { createSeller } from './harness.ts';
import { send } from './http.ts';
import { harness, seller, sellerForEachTest, startGateway, url } from './set-up.ts';

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
    await eventually(async () => (await waiting()) >= 4);
    expect((await send(url, 'GET', settings, { key: other.key })).status).toBe(200);
    expect((await send(url, 'PATCH', settings, { key: other.key, body: { commissionHoldDays: 1 } })).status).toBe(200);
    expect(await waiting()).toBe(4);
  } finally {
    await release();
  }
  expect((await Promise.all(changes)).map(({ status }) => status)).toEqual(Array(12).fill(200));
});
