import { orderPaid } from '@app/contracts/orders';
import type { Client } from '@app/service-kit/database';
import { eventually } from '@app/testing/eventually';
import { expect, test } from 'vitest';
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
  for (const { statuses } of both) await eventually(async () => expect(await statuses()).toEqual(['pending']));
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
    await eventually(async () => expect(await other.statuses()).toEqual(['delivered']));
  });
  await eventually(async () => expect(await seller.statuses()).toEqual(['delivered']));
});

test('a try that fails while its endpoint is being switched on is repeated, not held', async () => {
  const gate = Promise.withResolvers<void>();
  seller.receiver.respondWith(async (_, n) => {
    if (n === 1) await gate.promise;
    return { status: n === 1 ? 500 : 200 };
  });
  await seller.publish();
  await eventually(() => expect(seller.receiver.requests).toHaveLength(1));
  await switchOff();
  await harness.transaction(async (client) => {
    await switchOn(client);
    gate.resolve();
    await eventually(async () => expect(await seller.statuses()).not.toEqual(['sending']));
  });
  harness.clock.advance(6_001);
  await eventually(async () => expect(await seller.statuses()).toEqual(['delivered']));
});

test('switching while deliveries are claimed and tried at full speed loses none and repeats none forever', async () => {
  const orders = Promise.all(Array.from({ length: 200 }, () => seller.publish()));
  for (let n = 0; n < 20; n += 1) await seller.put({ active: n % 2 === 1 });
  const ids = await orders;
  await eventually(async () => expect(await seller.statuses()).toEqual(Array(200).fill('delivered')), {
    withinMs: 40_000,
  });
  expect(new Set(seller.received())).toEqual(new Set(ids));
});
