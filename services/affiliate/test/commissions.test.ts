import { affiliateCodeUnmatched, listCommissions, resolveCredits, updateAffiliate } from '@app/contracts/affiliates';
import { newId } from '@app/contracts/ids';
import { orderPaid } from '@app/contracts/orders';
import { outboxPublished } from '@app/testing/followed-events';
import { beforeEach, expect, test } from 'vitest';
import { referredOrder } from './samples.ts';
import { accountId, addAffiliate, service, startService } from './set-up.ts';

startService();

beforeEach(async () => void (await addAffiliate()));

const list = async (page: { limit?: number; before?: string } = {}, owner = accountId) =>
  await service.request(listCommissions, { code: 'pat', ...page }, { accountId: owner });
const whenCommissions = async (count: number, owner = accountId) => {
  await service.handled();
  const { data } = await list({}, owner);
  expect(data).toHaveLength(count);
  return data;
};

test('an order that names an affiliate, in any case, makes one pending commission from the time of the sale', async () => {
  expect(await list()).toEqual({ data: [] });
  const order = referredOrder({ affiliateCode: 'pAt' });
  await service.publish(orderPaid, accountId, order);
  expect(await whenCommissions(1)).toEqual([
    {
      id: expect.stringMatching(/^com_/),
      order_id: order.orderId,
      amount_cents: 1472,
      currency: 'eur',
      status: 'pending',
      created_at: '2026-01-10T08:00:00.123Z',
      kind: 'sale',
      due_at: '2026-02-09T08:00:00.123Z',
      payout_id: null,
    },
  ]);
});

test('an order makes one commission however often its event arrives and under whatever id', async () => {
  const [first, last] = [referredOrder(), referredOrder()];
  const eventId = newId('event', Date.now());
  for (const id of [eventId, eventId, undefined]) await service.publish(orderPaid, accountId, first, id);
  await service.publish(orderPaid, accountId, last);
  expect((await whenCommissions(2)).map((commission) => commission.order_id)).toEqual([last.orderId, first.orderId]);
});

test('test orders, affiliates’ own purchases and orders without a code earn nothing', async () => {
  await service.publish(orderPaid, accountId, referredOrder({ test: true }));
  await service.publish(orderPaid, accountId, referredOrder({ customerEmail: 'Pat@EXAMPLE.com' }));
  await service.publish(orderPaid, accountId, referredOrder({ affiliateCode: null }));
  const credited = referredOrder();
  await service.publish(orderPaid, accountId, credited);
  expect((await whenCommissions(1)).map((commission) => commission.order_id)).toEqual([credited.orderId]);
});

test('an affiliate is credited by the account that made the sale, at the commission of that time', async () => {
  const other = newId('account', Date.now());
  await addAffiliate({ commissionCents: 5000 }, other);
  const orders = [referredOrder(), referredOrder({ totalCents: 9900 })];
  for (const order of orders) await service.publish(orderPaid, other, order);
  expect((await whenCommissions(2, other)).map((commission) => commission.amount_cents)).toEqual([5000, 4905]);
  expect(await list()).toEqual({ data: [] });
  await service.request(updateAffiliate, { code: 'PAT', body: { commissionPercent: 50 } }, { accountId: other });
  expect((await list({}, other)).data.map((commission) => commission.amount_cents)).toEqual([5000, 4905]);
});

test('the credit of each sale is the code as the affiliate writes it, in the account of the sale, and never for own purchases', async () => {
  const other = newId('account', Date.now());
  const sale = (code: string, customerEmail = 'buyer@example.com', owner = accountId) => ({
    accountId: owner,
    code,
    customerEmail,
  });
  const wanted = [
    sale('pat'),
    sale('unknown'),
    sale('PAT', 'buyer@example.com', other),
    sale('Pat', 'PAT@example.com'),
    sale('pAt'),
    sale("' or true --"),
  ];
  const { credited } = await service.request(resolveCredits, { wanted }, { accountId: '' });
  expect(credited).toEqual(['PAT', null, null, null, 'PAT', null]);
  expect(await service.request(resolveCredits, { wanted: [] }, { accountId: '' })).toEqual({ credited: [] });
});

test('a code that the account does not have becomes an event, for test orders too, and credits no affiliate', async () => {
  const stranger = newId('account', Date.now());
  const [order, testOrder] = [referredOrder(), referredOrder({ affiliateCode: 'Typo', test: true })];
  await service.publish(orderPaid, stranger, order);
  await service.publish(orderPaid, accountId, testOrder);
  await service.handled();
  await outboxPublished(service.database.pool);
  const { rows } = await service.database.pool.query(
    'select subject, payload::json as event from outbox where payload like any ($1) and stream_seq is not null order by id',
    [[`%${stranger}%`, `%${accountId}%`]],
  );
  expect(rows).toMatchObject([
    {
      subject: affiliateCodeUnmatched.subject,
      event: {
        accountId: stranger,
        occurredAt: '2026-01-15T12:00:00.000Z',
        data: { orderId: order.orderId, code: 'PAT', test: false },
      },
    },
    { event: { accountId, data: { orderId: testOrder.orderId, code: 'Typo', test: true } } },
  ]);
  for (const { event } of rows) affiliateCodeUnmatched.data.parse(event.data);
  const { rows: commissions } = await service.database.pool.query('select from commissions where account_id = $1', [
    stranger,
  ]);
  expect(commissions).toEqual([]);
});

test('commissions are paged back by id, newest sale first, none twice and none left out', async () => {
  const orders = Array.from({ length: 5 }, (_, n) => referredOrder({ paidAt: `2026-01-10T08:00:0${n}.000Z` }));
  await Promise.all(orders.map((order) => service.publish(orderPaid, accountId, order)));
  const all = await whenCommissions(5);
  expect(
    all
      .map((commission) => commission.created_at)
      .sort()
      .reverse(),
  ).toEqual(all.map((commission) => commission.created_at));
  const pages: string[][] = [];
  let before: string | undefined;
  for (const more of [true, true, false]) {
    const page = await list({ limit: 2, ...(before === undefined ? {} : { before }) });
    expect(page.has_more).toBe(more);
    pages.push(page.data.map((commission) => commission.id));
    before = page.data.at(-1)?.id;
  }
  expect(pages.flat()).toEqual(all.map((commission) => commission.id));
});

test('a burst of orders with and without affiliates is recorded completely', async () => {
  const orders = Array.from({ length: 300 }, (_, n) =>
    referredOrder({ affiliateCode: ['PAT', 'pat', 'unknown', null][n % 4] ?? null }),
  );
  await Promise.all(orders.map((order) => service.publish(orderPaid, accountId, order)));
  await service.handled();
  await outboxPublished(service.database.pool);
  const { rows } = await service.database.pool.query(
    `select (select count(*) from commissions where account_id = $1) as credited,
            (select count(*) from outbox where payload like $2 and stream_seq is not null) as unmatched`,
    [accountId, `%${accountId}%`],
  );
  expect(rows).toEqual([{ credited: 150, unmatched: 75 }]);
});
