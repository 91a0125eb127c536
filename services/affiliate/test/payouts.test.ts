import { affiliatePaid, createPayout, getStatement, listAffiliates, listPayouts } from '@app/contracts/affiliates';
import { newId, newIdSuffix } from '@app/contracts/ids';
import { orderPaid, orderRefunded, orderReopened } from '@app/contracts/orders';
import type { PaidOrder } from '@app/testing/paid-order';
import { pollSystem } from '@app/testing/poll-system';
import { holdTransaction } from '@app/testing/sql';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { referredOrder, refundOf, reopeningOf } from './samples.ts';
import { accountId, addAffiliate, commissionsOf, service, startService } from './set-up.ts';

const dayMs = 86_400_000;
startService();
beforeEach(async () => void (await addWithTenPercent('PAT')));
const start = '2026-01-15T12:00:00.000Z';
afterEach(() => service.clock.set(start));

const addWithTenPercent = (code: string, owner = accountId) =>
  addAffiliate({ code, email: `${code}@example.com`, commissionPercent: 10 }, owner);
const statement = (page: { limit?: number; before?: string } = {}, code = 'pat') =>
  service.request(getStatement, { code, ...page }, { accountId });
const pay = (
  wanted: {
    includePending?: boolean;
    currency?: string;
    expectedCents?: number;
    code?: string;
    commandId?: string;
  } = {},
) => {
  const { includePending = false, code = 'PAT', commandId = newIdSuffix(Date.now()), ...body } = wanted;
  return service.request(createPayout, { code, includePending, body }, { accountId, commandId });
};
const payouts = async (code?: string) =>
  (await service.request(listPayouts, code === undefined ? {} : { code }, { accountId })).data;

/** Sales that are in the list; commissions of 10 %. */
async function sell(...sales: Partial<PaidOrder>[]): Promise<PaidOrder[]> {
  const before = (await commissionsOf()).length;
  const orders = sales.map((fields) => referredOrder({ totalCents: 1000, ...fields }));
  for (const order of orders) await service.publish(orderPaid, accountId, order);
  await service.handled();
  expect(await commissionsOf()).toHaveLength(before + orders.length);
  return orders;
}
async function refund(order: PaidOrder, refundNo = 1): Promise<void> {
  await service.publish(orderRefunded, accountId, refundOf(order, refundNo));
  await service.handled();
  expect((await numbersOf(order)).refunded_no).toBe(refundNo);
}
async function reopen(order: PaidOrder, refundNo = 1): Promise<void> {
  await service.publish(orderReopened, accountId, reopeningOf(order, refundNo));
  await service.handled();
  expect((await numbersOf(order)).reopened_no).toBe(refundNo);
}
const numbersOf = async (order: PaidOrder): Promise<{ refunded_no: number; reopened_no: number }> => {
  const text = 'select refunded_no, reopened_no from order_refunds where account_id = $1 and order_id = $2';
  return (await service.database.pool.query(text, [accountId, order.orderId])).rows[0];
};
const published = async () => {
  const text = 'select subject, payload::json as event from outbox where payload like $1 order by id';
  return (await service.database.pool.query(text, [`%${accountId}%`])).rows;
};

test('what is pending becomes due by the clock, after the hold of its sale, and then a payout pays it', async () => {
  await sell({}, {});
  const statuses = async () => (await commissionsOf()).map(({ status }) => status);
  await expect(pay()).rejects.toMatchObject({ code: 'nothing_due' });
  service.clock.set('2026-02-09T08:00:00.122Z');
  expect(await statuses()).toEqual(['pending', 'pending']);
  await expect(pay()).rejects.toMatchObject({ code: 'nothing_due' });
  expect((await statement()).balances).toEqual([{ currency: 'eur', pending_cents: 200, due_cents: 0, paid_cents: 0 }]);
  service.clock.set('2026-02-09T08:00:00.123Z');
  expect(await statuses()).toEqual(['due', 'due']);
  expect((await statement()).balances).toEqual([{ currency: 'eur', pending_cents: 0, due_cents: 200, paid_cents: 0 }]);
  const paid = await pay();
  expect(paid).toEqual({
    ...{ id: expect.stringMatching(/^pay_/), affiliate_code: 'PAT', amount_cents: 200, currency: 'eur' },
    ...{ commission_count: 2, created_at: '2026-02-09T08:00:00.123Z' },
  });
  expect((await commissionsOf()).map(({ status, payout_id }) => [status, payout_id])).toEqual([
    ['paid', paid.id],
    ['paid', paid.id],
  ]);
  expect((await statement()).balances).toEqual([{ currency: 'eur', pending_cents: 0, due_cents: 0, paid_cents: 200 }]);
  await expect(pay()).rejects.toMatchObject({ code: 'nothing_due' });
  expect(await payouts()).toEqual([paid]);
});

test('a payout publishes one event, with the affiliate’s name and address', async () => {
  await sell({});
  const { id } = await pay({ includePending: true });
  const [{ subject, event }, ...others] = await published();
  expect(others).toEqual([]);
  expect([subject, affiliatePaid.data.parse(event.data)]).toEqual([
    affiliatePaid.subject,
    {
      ...{ payoutId: id, affiliateCode: 'PAT', affiliateName: 'Pat', affiliateEmail: 'PAT@example.com' },
      ...{ amountCents: 100, currency: 'eur', commissionCount: 1, paidAt: start },
    },
  ]);
});

test('includePending pays early what is held, and what is due with it', async () => {
  await sell({ paidAt: '2025-12-01T00:00:00.000Z' }, {});
  expect((await commissionsOf()).map(({ status }) => status).toSorted()).toEqual(['due', 'pending']);
  expect((await pay()).amount_cents).toBe(100);
  expect((await pay({ includePending: true })).amount_cents).toBe(100);
});

test('a repeated command pays once and answers the same, also when both come at once', async () => {
  await sell({}, {});
  const commandId = newIdSuffix(Date.now());
  const [one, two] = await Promise.all([1, 2].map(() => pay({ includePending: true, commandId })));
  expect(two).toEqual(one);
  await sell({});
  expect(await pay({ includePending: true, commandId })).toEqual(one);
  expect(await payouts()).toEqual([one]);
});

test('many payouts at once, and refunds between them, never pay a commission twice', async () => {
  const orders = await sell(...Array.from({ length: 30 }, () => ({})));
  const attempts = Array.from({ length: 8 }, () =>
    pay({ includePending: true }).then(
      ({ amount_cents }) => amount_cents,
      (err: { code: string }) => err.code,
    ),
  );
  const [results] = await Promise.all([Promise.all(attempts), ...orders.slice(0, 10).map((order) => refund(order))]);
  const paidCents = results.filter((result) => typeof result === 'number').reduce((sum, cents) => sum + cents, 0);
  expect(results.filter((result) => typeof result === 'string' && result !== 'nothing_due')).toEqual([]);
  const { balances } = await statement();
  expect(balances[0]?.paid_cents).toBe(paidCents);
  // What was refunded after it was paid is taken off the next payout.
  expect((balances[0]?.due_cents ?? 0) + (balances[0]?.pending_cents ?? 0) + paidCents).toBe(2000);
  const ids = (await payouts()).map(({ id }) => id);
  expect(
    (await commissionsOf()).filter(({ status, payout_id }) => status === 'paid' && !ids.includes(payout_id ?? '')),
  ).toEqual([]);
});

test('a payout whose process dies before its commit left nothing, and the repeated command pays once', async () => {
  await sell({}, {});
  const { pool } = service.database;
  let answer: ReturnType<typeof pay> | undefined;
  await holdTransaction(service.database, async (client) => {
    // The event is the last that a payout writes: commissions, payout and ledger are written when it waits here.
    await client.query('lock table outbox in access exclusive mode');
    answer = pay({ includePending: true });
    answer.catch(() => undefined);
    const terminate = `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%insert into outbox%'`;
    await pollSystem(
      'a payout that waits for the outbox',
      async () => ((await pool.query(terminate)).rowCount ?? 0) > 0,
    );
    expect((await pool.query('select from payouts where account_id = $1', [accountId])).rowCount).toBe(0);
  });
  await answer?.catch(() => undefined);
  const paid = (await payouts()).length > 0 ? (await payouts())[0] : await pay({ includePending: true });
  expect(paid?.amount_cents).toBe(200);
  expect(await payouts()).toEqual([paid]);
  expect((await statement()).balances[0]).toMatchObject({ due_cents: 0, pending_cents: 0, paid_cents: 200 });
  expect(await published()).toHaveLength(1);
});

test('a refund after the payment is taken off the next payout; while that is nothing or less, nothing is due', async () => {
  const [order, other] = await sell({}, {});
  if (order === undefined || other === undefined) throw new Error('no orders');
  await pay({ includePending: true });
  await refund(order);
  expect((await commissionsOf())[0]).toMatchObject({
    ...{ kind: 'clawback', order_id: order.orderId, amount_cents: -100, status: 'due', due_at: start, payout_id: null },
  });
  expect((await statement()).balances).toEqual([
    { currency: 'eur', pending_cents: 0, due_cents: -100, paid_cents: 200 },
  ]);
  await expect(pay({ includePending: true })).rejects.toMatchObject({ code: 'nothing_due' });
  await expect(pay({ currency: 'eur' })).rejects.toMatchObject({ code: 'nothing_due' });
  await sell({ totalCents: 1000 });
  await expect(pay({ includePending: true })).rejects.toMatchObject({ code: 'nothing_due' });
  await sell({ totalCents: 500 });
  expect(await pay({ includePending: true })).toMatchObject({ amount_cents: 50, commission_count: 2 });
  expect((await statement()).balances).toEqual([{ currency: 'eur', pending_cents: 0, due_cents: 0, paid_cents: 250 }]);
});

test('a refund that fails afterwards brings back what it took: the commission, or what a payout took off', async () => {
  const [order] = await sell({});
  if (order === undefined) throw new Error('no order');
  await pay({ includePending: true });
  await refund(order);
  await reopen(order);
  expect((await commissionsOf()).map(({ kind, status }) => [kind, status])).toEqual([
    ['clawback', 'voided'],
    ['sale', 'paid'],
  ]);
  await expect(pay({ includePending: true })).rejects.toMatchObject({ code: 'nothing_due' });
  await refund(order, 2);
  await sell({ totalCents: 3000 });
  expect((await pay({ includePending: true })).amount_cents).toBe(200);
  await reopen(order, 2);
  expect((await commissionsOf()).filter(({ status }) => status === 'due')).toMatchObject([
    { kind: 'sale', order_id: order.orderId, amount_cents: 100 },
  ]);
  expect((await pay()).amount_cents).toBe(100);
  expect((await statement()).balances).toEqual([{ currency: 'eur', pending_cents: 0, due_cents: 0, paid_cents: 400 }]);
});

test('the list of affiliates shows what each has pending, due and paid in each currency, as its statement does', async () => {
  await addWithTenPercent('SUE');
  await addWithTenPercent('NEW');
  await sell({ currency: 'eur' }, { currency: 'usd', totalCents: 3000 });
  await pay({ includePending: true, currency: 'usd' });
  await service.publish(orderPaid, accountId, referredOrder({ affiliateCode: 'SUE', totalCents: 5000 }));
  await service.handled();
  service.clock.advance(40 * dayMs);
  await sell({ currency: 'eur', totalCents: 700, paidAt: service.clock.now().toISOString() });
  const { data } = await service.request(listAffiliates, {}, { accountId });
  expect(data.map(({ code }) => code)).toEqual(['NEW', 'SUE', 'PAT']);
  for (const { code, balances } of data) expect(balances).toEqual((await statement({}, code)).balances);
  expect(data.at(-1)?.balances).toEqual([
    { currency: 'eur', pending_cents: 70, due_cents: 100, paid_cents: 0 },
    { currency: 'usd', pending_cents: 0, due_cents: 0, paid_cents: 300 },
  ]);
  const other = newId('account', Date.now());
  await addWithTenPercent('PAT', other);
  const theirs = await service.request(listAffiliates, {}, { accountId: other });
  expect(theirs.data).toMatchObject([{ code: 'PAT', balances: [] }]);
});

test('of several currencies one must be named, and each is paid by itself', async () => {
  await sell({ currency: 'eur' }, { currency: 'usd', totalCents: 3000 }, { currency: 'jpy', totalCents: 0 });
  await expect(pay({ includePending: true })).rejects.toMatchObject({
    code: 'validation_failed',
    errors: [{ field: 'currency', message: expect.stringContaining('eur, usd') }],
  });
  await expect(pay({ includePending: true, currency: 'gbp' })).rejects.toMatchObject({ code: 'nothing_due' });
  await expect(pay({ includePending: true, currency: 'jpy' })).rejects.toMatchObject({ code: 'nothing_due' });
  expect(await pay({ includePending: true, currency: 'usd' })).toMatchObject({ amount_cents: 300, currency: 'usd' });
  expect(await pay({ includePending: true })).toMatchObject({ amount_cents: 100, currency: 'eur' });
});

test('payouts are of their affiliate and account alone, listed newest first and page by page', async () => {
  await addWithTenPercent('SUE');
  const other = newId('account', Date.now());
  await addWithTenPercent('PAT', other);
  await sell({});
  const first = await pay({ includePending: true });
  service.clock.advance(dayMs);
  await service.publish(orderPaid, accountId, referredOrder({ affiliateCode: 'SUE' }));
  await service.handled();
  expect(await commissionsOf('SUE')).toHaveLength(1);
  const second = await pay({ includePending: true, code: 'sue' });
  expect(await payouts()).toEqual([second, first]);
  expect(await payouts('pat')).toEqual([first]);
  expect(await service.request(listPayouts, { limit: 1 }, { accountId })).toEqual({ data: [second], has_more: true });
  const rest = await service.request(listPayouts, { limit: 1, before: second.id }, { accountId });
  expect(rest).toEqual({ data: [first], has_more: false });
  expect((await service.request(listPayouts, {}, { accountId: other })).data).toEqual([]);
  const unknown = { code: 'validation_failed', errors: [{ field: 'code' }] };
  await expect(payouts('unknown')).rejects.toMatchObject(unknown);
  for (const request of [() => pay({ code: 'unknown' }), () => statement({}, 'unknown')])
    await expect(request()).rejects.toMatchObject({ code: 'affiliate_not_found' });
  const theirs = await service.request(getStatement, { code: 'PAT' }, { accountId: other });
  expect(theirs).toEqual({ balances: [], data: [], has_more: false });
});

test('a statement lists, newest first, what was earned, taken back and paid, and what was owed after each', async () => {
  const [first, second] = await sell({}, { totalCents: 5000 });
  if (first === undefined || second === undefined) throw new Error('no orders');
  await refund(second);
  const payout = await pay({ includePending: true });
  await refund(first);
  await sell({ currency: 'usd' });
  const { data, has_more } = await statement();
  expect(has_more).toBe(false);
  const seen = data.map((line) => [line.kind, line.amount_cents, line.balance_cents, line.currency]);
  expect(seen).toEqual([
    ['commission', 100, 100, 'usd'],
    ['clawback', -100, -100, 'eur'],
    ['payout', -100, 0, 'eur'],
    ['void', -500, 100, 'eur'],
    ['commission', 500, 600, 'eur'],
    ['commission', 100, 100, 'eur'],
  ]);
  expect(data[2]).toMatchObject({ order_id: null, payout_id: payout.id, created_at: start });
  expect(data[3]).toMatchObject({ order_id: second.orderId, payout_id: null, created_at: start });
  // What was earned was earned with the order, whenever its event came.
  expect(data[5]).toMatchObject({ kind: 'commission', order_id: first.orderId, created_at: first.paidAt });
  const pages: unknown[] = [];
  let before: string | undefined;
  for (const more of [true, true, false]) {
    const page = await statement({ limit: 2, ...(before === undefined ? {} : { before }) });
    expect(page.has_more).toBe(more);
    pages.push(...page.data);
    before = page.data.at(-1)?.id;
  }
  expect(pages).toEqual(data);
  for (const unknown of ['led_01k3m8q0c7fq9r2v5x8z1b4d6e', 'a\u0000b', '\ud800'])
    await expect(statement({ before: unknown })).rejects.toMatchObject({ code: 'validation_failed' });
});

test('another amount than the caller was shown is not paid, and all of it stays', async () => {
  await sell({}, {});
  const wanted = { includePending: true };
  await expect(pay({ ...wanted, expectedCents: 100 })).rejects.toMatchObject({ code: 'amount_changed' });
  expect((await statement()).balances).toEqual([{ currency: 'eur', pending_cents: 200, due_cents: 0, paid_cents: 0 }]);
  expect(await pay({ ...wanted, expectedCents: 200 })).toMatchObject({ amount_cents: 200 });
});
