import { createAffiliate, updateAffiliate } from '@app/contracts/affiliates';
import { newId } from '@app/contracts/ids';
import { orderPaid, orderRefunded } from '@app/contracts/orders';
import { subscriptionRebilled } from '@app/contracts/subscriptions';
import { deleteExpired } from '@app/service-kit/retention';
import type { PaidOrder } from '@app/testing/paid-order';
import { untilBlocked } from '@app/testing/poll-system';
import { holdTransaction } from '@app/testing/sql';
import { expect, test } from 'vitest';
import { recordCommissions } from '../src/commissions/record-commissions.ts';
import { recordRenewals } from '../src/commissions/record-renewals.ts';
import { retention } from '../src/db/retention.ts';
import { type Renewal, received, referredOrder, refundOf, renewalOf } from './samples.ts';
import { accountId, addAffiliate, commissionsOf, service, startService } from './set-up.ts';

startService();

const whenCommissions = async (count: number) => {
  await service.handled();
  expect(await commissionsOf()).toHaveLength(count);
};
const amounts = async () => (await commissionsOf()).map(({ kind, amount_cents }) => [kind, amount_cents]);
const pays = (order: PaidOrder) => service.publish(orderPaid, accountId, order);
const renews = (renewal: Renewal) => service.publish(subscriptionRebilled, accountId, renewal);
const waiting = async () => {
  const text = 'select from waiting_renewals where account_id = $1';
  return (await service.database.pool.query(text, [accountId])).rowCount;
};

test('renewals earn for as many months as the terms said at the sale, a percentage of each', async () => {
  await addAffiliate({ commissionPercent: 30, renewalMonths: 2 });
  const order = referredOrder({ totalCents: 1000 });
  await pays(order);
  await whenCommissions(1);
  // Neither a change of the terms nor of the price of the sale reaches back.
  await service.request(
    updateAffiliate,
    { code: 'PAT', body: { commissionPercent: 90, renewalMonths: 12 } },
    { accountId },
  );
  for (const months of [1, 2, 3]) await renews(renewalOf(order, months, { amountCents: 500 * months }));
  const last = referredOrder({ totalCents: 1 });
  await pays(last);
  await whenCommissions(4);
  expect((await commissionsOf()).filter(({ order_id }) => order_id === order.orderId)).toMatchObject([
    { kind: 'renewal', amount_cents: 300, created_at: '2026-03-10T08:00:00.123Z', due_at: '2026-04-09T08:00:00.123Z' },
    { kind: 'renewal', amount_cents: 150, created_at: '2026-02-10T08:00:00.123Z', due_at: '2026-03-12T08:00:00.123Z' },
    { kind: 'sale', amount_cents: 300 },
  ]);
  expect(await waiting()).toBe(0);
});

test('a fixed amount is earned on each renewal, and never more than the renewal', async () => {
  await addAffiliate({ commissionCents: 700, renewalMonths: 12 });
  const order = referredOrder({ totalCents: 1000 });
  await pays(order);
  await renews(renewalOf(order, 1, { amountCents: 900 }));
  await renews(renewalOf(order, 2, { amountCents: 600 }));
  await whenCommissions(3);
  expect(await amounts()).toEqual([
    ['renewal', 600],
    ['renewal', 700],
    ['sale', 700],
  ]);
});

test('without months of renewals, for a rehearsal and for an order without an affiliate nothing more is earned', async () => {
  await addAffiliate({ commissionPercent: 30 });
  const [order, uncredited, rehearsal] = [
    referredOrder(),
    referredOrder({ affiliateCode: null }),
    referredOrder({ test: true }),
  ];
  for (const each of [order, uncredited, rehearsal]) {
    await pays(each);
    await renews(renewalOf(each));
  }
  const last = referredOrder();
  await renews(renewalOf(last));
  // Of the last two it is not known yet whether an affiliate brought them.
  await service.handled();
  expect(await waiting()).toBe(2);
  expect(await amounts()).toEqual([['sale', 1472]]);
});

test('a renewal that comes before its sale is earned when the sale comes, and once, however often either comes', async () => {
  await addAffiliate({ commissionPercent: 10, renewalMonths: 6 });
  const order = referredOrder({ totalCents: 1000 });
  for (const months of [2, 1, 2]) await renews(renewalOf(order, months));
  await service.handled();
  expect(await waiting()).toBe(2);
  expect(await commissionsOf()).toEqual([]);
  await pays(order);
  await whenCommissions(3);
  for (const months of [1, 2, 3]) await renews(renewalOf(order, months));
  await pays(order);
  await whenCommissions(4);
  expect(await amounts()).toEqual([
    ['renewal', 100],
    ['renewal', 100],
    ['renewal', 100],
    ['sale', 100],
  ]);
  expect(await waiting()).toBe(0);
});

test('a refund of the order takes its commission back, and renewals stay earned: their charges are not given back', async () => {
  await addAffiliate({ commissionPercent: 10, renewalMonths: 6 });
  const order = referredOrder({ totalCents: 1000 });
  await service.publish(orderRefunded, accountId, refundOf(order));
  await renews(renewalOf(order, 1));
  await service.handled();
  expect(await waiting()).toBe(1);
  await pays(order);
  await renews(renewalOf(order, 2));
  await whenCommissions(3);
  expect((await commissionsOf()).map(({ kind, status }) => [kind, status])).toEqual([
    ['renewal', 'pending'],
    ['renewal', 'pending'],
    ['sale', 'voided'],
  ]);
});

test('of a sale and its renewal that are recorded at the same time, the second waits and sees the first', async () => {
  await addAffiliate({ commissionPercent: 10, renewalMonths: 6 });
  const { transaction, pool } = service.database;
  for (const saleFirst of [true, false]) {
    const order = referredOrder();
    const works = [
      (client: Parameters<typeof recordRenewals>[0]) =>
        recordCommissions(client, service.clock, [received(accountId, order)]),
      (client: Parameters<typeof recordRenewals>[0]) =>
        recordRenewals(client, service.clock, [received(accountId, renewalOf(order))]),
    ];
    const [first, second] = saleFirst ? works : works.toReversed();
    let later: Promise<unknown> = Promise.resolve();
    await holdTransaction(service.database, async (client) => {
      await first?.(client);
      later = transaction(async (other) => void (await second?.(other)));
      await untilBlocked(pool);
    });
    await later;
    expect((await commissionsOf()).filter(({ order_id }) => order_id === order.orderId)).toHaveLength(2);
  }
});

test('renewals of an account without affiliates wait for no sale and lock no order', async () => {
  const others = newId('account', Date.now());
  const terms = { code: 'PAT', name: 'Pat', email: 'pat@example.com', commissionPercent: 10 };
  await service.request(createAffiliate, { body: terms }, { accountId: others });
  const renewal = renewalOf(referredOrder());
  await service.database.transaction((client) =>
    recordRenewals(client, service.clock, [received(accountId, renewal), received(others, renewal)]),
  );
  for (const table of ['waiting_renewals', 'order_refunds']) {
    const { rows } = await service.database.pool.query<{ account_id: string }>(
      `select account_id from ${table} where account_id = any ($1)`,
      [[accountId, others]],
    );
    expect(rows).toEqual([{ account_id: others }]);
  }
});

test('a renewal of an order that named no affiliate is not written down; one from before that was known waits', async () => {
  await addAffiliate({ commissionPercent: 10, renewalMonths: 6 });
  const [unnamed, named, untold] = [referredOrder({ affiliateCode: null }), referredOrder(), referredOrder()];
  await renews(renewalOf(unnamed, 1, { affiliateNamed: false }));
  await renews(renewalOf(named, 1, { affiliateNamed: true }));
  await renews(renewalOf(untold));
  await service.handled();
  expect(await waiting()).toBe(2);
  const { rows } = await service.database.pool.query<{ order_id: string }>(
    'select order_id from waiting_renewals where account_id = $1 order by order_id',
    [accountId],
  );
  expect(rows.map(({ order_id }) => order_id)).toEqual([named.orderId, untold.orderId].toSorted());
});

test('a renewal whose sale never came is forgotten after 60 days', async () => {
  await addAffiliate({ commissionPercent: 10 });
  await renews(renewalOf(referredOrder()));
  await renews(renewalOf(referredOrder()));
  await service.handled();
  expect(await waiting()).toBe(2);
  await service.database.pool.query(
    `update waiting_renewals set received_at = now() - interval '61 days' where ctid =
       (select ctid from waiting_renewals where account_id = $1 limit 1)`,
    [accountId],
  );
  await deleteExpired(service.database, retention());
  expect(await waiting()).toBe(1);
});
