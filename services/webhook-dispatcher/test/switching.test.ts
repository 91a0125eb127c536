import { orderPaid } from '@app/contracts/orders';
import type { Client } from '@app/service-kit/database';
import { volume } from '@app/testing/long';
import { expect, test } from 'vitest';
import { attempted, stored } from './harness.ts';
import { anOrder, connectedAccount } from './orders.ts';
import { harness, seller, sellerForEachTest, startService } from './set-up.ts';

startService();
sellerForEachTest();

const switchOff = () => seller.put({ active: false });

/** The statements of switching on, without the commit. */
async function switchOn(client: Client): Promise<void> {
  await client.query('select from endpoints where account_id = $1 for update', [seller.account]);
  await client.query('update endpoints set active = true, version = version + 1 where account_id = $1', [
    seller.account,
  ]);
  await client.query(
    `update deliveries set status = 'pending', next_attempt_at = $2 where account_id = $1 and status = 'held'`,
    [seller.account, harness.clock.now()],
  );
}

test('a retry that becomes due while its endpoint is being switched on is sent, not held, and other endpoints do not wait', async () => {
  const other = await connectedAccount(harness);
  const both = [seller, other];
  for (const { account, receiver } of both) {
    receiver.respondWith((_, n) => ({ status: n === 1 ? 500 : 200 }));
    await harness.publish(orderPaid, account, anOrder(harness.clock.nowMs()));
  }
  for (const { tried, statuses } of both) {
    await tried(1);
    expect(await statuses()).toEqual(['pending']);
  }
  await switchOff();
  const accounts = both.map(({ account }) => account);
  // Simulates a process that claimed the deliveries before the switch …
  await harness.query(
    `update deliveries set status = 'sending', lease_token = 'stuck', lease_owner = 1, next_attempt_at = $2,
       lease_until = now() + interval '1 hour' where account_id = any ($1)`,
    [accounts, harness.clock.now()],
  );
  await harness.transaction(async (client) => {
    await switchOn(client);
    // … and died: their leases end together.
    await harness.query('update deliveries set lease_until = now() where account_id = any ($1)', [accounts]);
    harness.wake();
    await other.delivered();
  });
  harness.wake();
  await seller.delivered();
  for (const { statuses } of both) expect(await statuses()).toEqual(['delivered']);
});

test('an attempt that fails while its endpoint is being switched on is repeated, not held', async () => {
  const gate = Promise.withResolvers<void>();
  seller.receiver.respondWith(async (_, n) => {
    if (n === 1) await gate.promise;
    return { status: n === 1 ? 500 : 200 };
  });
  await seller.publish();
  await seller.receiver.received(1);
  await switchOff();
  await harness.transaction(async (client) => {
    await switchOn(client);
    gate.resolve();
    await seller.tried(1);
    expect(await seller.statuses()).not.toEqual(['sending']);
  });
  harness.clock.advance(6_001);
  harness.wake();
  await seller.delivered();
  expect(await seller.statuses()).toEqual(['delivered']);
});

test('switching while deliveries are claimed and tried at full speed loses none and repeats none forever', async () => {
  const [count, switches] = [volume(80, 200), volume(10, 20)];
  const orders = Promise.all(Array.from({ length: count }, () => seller.publish()));
  for (let n = 0; n < switches; n += 1) await seller.put({ active: n % 2 === 1 });
  // What was held goes out at once.
  await harness.query('update recoveries set per_second = 10000 where account_id = $1', [seller.account]);
  const ids = await orders;
  for (const { deliveries } of await Promise.all(ids.map(stored)))
    await attempted({ deliveryId: deliveries[0]?.id as string, delivered: true });
  expect(await seller.statuses()).toEqual(Array(count).fill('delivered'));
  expect(new Set(seller.received())).toEqual(new Set(ids));
});
