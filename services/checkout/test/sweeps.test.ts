import { dayMs } from '@app/contracts/durations';
import { newId } from '@app/contracts/ids';
import { listCheckouts } from '@app/contracts/unfinished-checkouts';
import { query } from '@app/testing/sql';
import { beforeEach, expect, test } from 'vitest';
import { losesReply } from './billing-stand-in.ts';
import { plainCourse } from './checkout-harness.ts';
import { context } from './harness.ts';
import { harness, harnessForEachTest } from './set-up.ts';

harnessForEachTest();

beforeEach(() => void harness.shop.set('acc_2/course', plainCourse));

const email = 'ada@example.com';

/** As a process that died between the sale and billing leaves them: the oldest ones are the first account's. */
async function leaveAttempts(first: number, second: number): Promise<void> {
  const service = await harness.base.start();
  harness.billing.beforeStart = losesReply;
  for (const accountId of ['acc_1', 'acc_2']) await harness.pay(await harness.open({ email }, { accountId }));
  await service.close();
  await copy('acc_1', first - 1, '2026-01-01');
  await copy('acc_2', second - 1, '2026-01-02');
  harness.base.clock.advance(121_000);
}

async function copy(accountId: string, count: number, checkedAt: string): Promise<void> {
  const ids = Array.from({ length: count }, () => [newId('checkout', Date.now()), newId('order', Date.now())]);
  await query(
    harness.base.database.url,
    `with copied as (
       insert into checkouts select (jsonb_populate_record(c, jsonb_build_object('id', n.id, 'order_id', n.order_id))).*
       from checkouts as c, unnest($2::text[], $3::text[]) as n(id, order_id) where account_id = $1 returning id
     )
     insert into checkout_attempts select (jsonb_populate_record(t, jsonb_build_object('checkout_id', copied.id))).*
     from checkout_attempts as t, copied where account_id = $1`,
    [accountId, ids.map(([id]) => id), ids.map(([, orderId]) => orderId)],
  );
  await query(harness.base.database.url, 'update checkouts set checked_at = $2 where account_id = $1', [
    accountId,
    checkedAt,
  ]);
}

const processing = async () => (await harness.query(`select 1 from checkouts where status = 'processing'`)).length;

test('a sweep checks all that is due, and one account’s backlog keeps no other waiting', async () => {
  // More than one round claims.
  await leaveAttempts(118, 2);
  expect(await processing()).toBe(120);
  await harness.base.startAndSweep();
  expect(await processing()).toBe(0);
  const requested = harness.billing.listsRequested;
  expect(requested).toHaveLength(120);
  expect(requested.indexOf('acc_2')).toBeLessThan(20);
  expect(requested.lastIndexOf('acc_2')).toBeLessThan(20);
});

/** A checkout whose buyer went to the bank, and which billing lacks since. */
async function leaveWaiting() {
  const service = await harness.base.start();
  const opened = await harness.open({ email });
  expect(await harness.pay(opened, 'action')).toMatchObject({ status: 'requires_action' });
  await service.close();
  harness.billing.attempts.length = 0;
  return opened;
}

test('a checkout whose payment a restored billing lacks does not wait for its buyer for ever, and its buyer was there at the payment last', async () => {
  const opened = await leaveWaiting();
  const paidAt = harness.base.clock.now().toISOString();
  harness.base.clock.advance(dayMs);
  await harness.base.startAndSweep();
  expect(await harness.get(opened)).toMatchObject({ status: 'requires_action' });
  expect(harness.billing.listsRequested).toEqual([]);
  harness.base.clock.advance(dayMs + 1);
  await harness.base.startAndSweep();
  expect(await harness.get(opened)).toMatchObject({ status: 'open', reason: 'try_again_later' });
  const { data } = await harness.base.requester.request(listCheckouts, {}, context('acc_1'));
  expect(data.map(({ last_active_at }) => last_active_at <= paidAt)).toEqual([true]);
});

test('a waiting checkout that billing could not be asked about is asked about again after two minutes, and one that it answered for after two days', async () => {
  const opened = await leaveWaiting();
  harness.billing.beforeList = losesReply;
  harness.base.clock.advance(2 * dayMs);
  const service = await harness.base.startAndSweep();
  expect(harness.billing.listsRequested).toHaveLength(1);
  await service.close();
  harness.billing.beforeList = async () => undefined;
  harness.base.clock.advance(121_000);
  await (await harness.base.startAndSweep()).close();
  expect(harness.billing.listsRequested).toHaveLength(2);
  expect(await harness.query(`select status from checkouts where id = '${opened.id}'`)).toEqual([{ status: 'open' }]);
});
