import { rowByRow } from '@app/service-kit/planner';
import { isDeath } from '@app/testing/dying-process';
import { volume } from '@app/testing/long';
import { untilBlocked } from '@app/testing/poll-system';
import { plannedScans } from '@app/testing/sql';
import { expect, test } from 'vitest';
import { counting } from './counted-statements.ts';
import { dyingAt } from './dying-process.ts';
import { dayMs, minuteMs, newAccount } from './payment-replicas.ts';
import { openReplicas, replicas } from './set-up.ts';
import { readRenewals, subscribeMany } from './subscriptions-of-tests.ts';

openReplicas('2026-01-01T12:00:00.000Z');

/** So many subscriptions of a new account, whose renewals have just fallen due. */
async function beginDue(count: number, paymentMethod = 'sim_ok') {
  const account = newAccount();
  const due = await subscribeMany(replicas, account, count, { paymentMethod });
  replicas.clock.advance(31 * dayMs);
  return { account, due };
}
const chargedOrders = async (account: string) =>
  (await replicas.books(account)).filter(({ kind }) => kind === 'charge').map(({ orderId }) => orderId);

/** The statements of one batch, in their order. */
const ofClaim = [
  'renewals-lock-to-claim',
  'renewals-last-attempts',
  'renewals-claim',
  'renewals-claim-periods',
] as const;
const ofAnswer = ['renewals-lock', 'payments-answer-renewals'] as const;
const ofSuccess = ['facts-write-answered', 'charges-insert-answered'] as const;
const ofEnd = ['renewals-record', 'subscriptions-renewed', 'renewal-counts-insert', 'outbox-insert-answered'] as const;

test.each([
  ['sim_ok', [...ofClaim, ...ofAnswer, ...ofSuccess, ...ofEnd]],
  ['sim_renewal_declined', [...ofClaim, ...ofAnswer, ...ofEnd]],
])('%s: forty renewals are claimed and recorded by as few statements as one', async (card, statements) => {
  for (const count of [1, 40]) {
    const { account } = await beginDue(count, card);
    const { database, counts } = counting();
    await replicas.start({ database }).renew(account);
    const names: readonly string[] = statements;
    const sent = [...counts].filter(([name]) => names.includes(name));
    expect(sent).toEqual(statements.map((name) => [name, 1]));
  }
});

test('one renewal that cannot be claimed fails alone: all others are charged, and it is once it can be', async () => {
  const { account, due } = await beginDue(70);
  const [bad, ...good] = due.map(({ orderId }) => orderId) as [string, ...string[]];
  const { pool } = replicas.database;
  await pool.query(`alter table payments add constraint refused check (order_id <> '${bad}') not valid`);
  const replica = replicas.start();
  expect(await replica.renew(account)).toMatchObject({ charged: 69 });
  expect((await chargedOrders(account)).toSorted()).toEqual(good.toSorted());
  expect(replicas.errors).toMatchObject([[{ orderId: bad }, 'a renewal could not be begun; the next run tries again']]);
  await pool.query('alter table payments drop constraint refused');
  expect(await replica.renew(account)).toMatchObject({ charged: 1 });
  expect((await chargedOrders(account)).toSorted()).toEqual([bad, ...good].toSorted());
});

test('one renewal that needs no payment and cannot be written keeps no other waiting', async () => {
  const { account, due } = await beginDue(5);
  const [bad, free, ...charged] = due as [(typeof due)[0], (typeof due)[0], ...typeof due];
  const { pool } = replicas.database;
  await pool.query('update subscriptions set amount_cents = 0 where id = any ($1)', [[bad.id, free.id]]);
  await pool.query(`alter table renewals add constraint refused check (subscription_id <> '${bad.id}') not valid`);
  await replicas.start().renew(account);
  await pool.query('alter table renewals drop constraint refused');
  expect((await chargedOrders(account)).toSorted()).toEqual(charged.map(({ orderId }) => orderId).toSorted());
  expect(await readRenewals(replicas, bad.id)).toEqual([]);
  expect(await readRenewals(replicas, free.id)).toMatchObject([{ period: 2, status: 'paid' }]);
  expect(replicas.errors.at(-1)).toMatchObject([{ orderId: bad.orderId }, expect.any(String)]);
});

test('what is due no more at the moment of the claim is left out, and the others of its batch are charged', async () => {
  const { account, due } = await beginDue(10);
  const [first, ...others] = due;
  const { pool } = replicas.database;
  const pause = `update subscriptions set status = 'paused', paused_at = $2, next_charge_at = null where id = $1`;
  const client = await pool.connect();
  await client.query('begin');
  await client.query(pause, [first?.id, replicas.clock.now()]);
  const running = replicas.start().renew(account);
  // It was read as due, and its claim waits for the one who pauses it.
  await untilBlocked(pool, 1);
  await client.query('commit');
  client.release();
  expect(await running).toMatchObject({ charged: 9 });
  expect(await readRenewals(replicas, first?.id ?? '')).toEqual([]);
  expect((await chargedOrders(account)).toSorted()).toEqual(others.map(({ orderId }) => orderId).toSorted());
});

test('renewals are found by their keys, even before the planner knows how many an account has', async () => {
  const { account } = await beginDue(1, 'sim_renewal_declined');
  const { database, texts } = counting();
  const replica = replicas.start({ database });
  await replica.renew(account);
  replicas.clock.advance(3 * dayMs);
  await replica.renew(account);
  const names = [...ofClaim.slice(0, 2), ...ofAnswer, 'renewals-record', 'subscriptions-renewed'];
  for (const name of names) {
    // As `renewals-lock` and `renewals-lock-to-claim` set the planner for what follows them.
    const settings = name.startsWith('renewals-lock') ? {} : rowByRow;
    const scans = (await plannedScans(replicas.url, texts.get(name) ?? name, settings)).filter(({ table }) =>
      /^(payments|subscriptions|renewals)$/.test(table),
    );
    expect(scans.length, name).toBeGreaterThan(0);
    for (const { lookUp, table } of scans)
      expect(lookUp, `${name} ${table}`).toMatch(/\b(order_id|id|subscription_id) = /);
  }
});

test('killed at any seam, renewals are charged once each', async () => {
  let seam = 1;
  for (let died = true; died; seam += volume(3, 1)) {
    const { account, due } = await beginDue(3);
    const dying = dyingAt(seam);
    const killed = replicas.start(dying);
    await killed.renew(account).catch((err: unknown) => {
      if (!isDeath(err)) throw err;
    });
    died = dying.dead;
    const replica = replicas.start();
    replicas.clock.advance(minuteMs);
    await replica.round();
    await replica.renew(account);
    const orders = due.map(({ orderId }) => orderId).toSorted();
    expect([seam, (await chargedOrders(account)).toSorted()]).toEqual([seam, orders]);
    for (const { id } of due) expect(await readRenewals(replicas, id)).toMatchObject([{ period: 2, status: 'paid' }]);
  }
  // Those of the claim, of the calls, and of the record.
  expect(seam).toBeGreaterThan(35);
});

test('two replicas that claim the same renewals at once charge each once', async () => {
  for (let round = 0; round < volume(2, 20); round += 1) {
    const { account, due } = await beginDue(40);
    await Promise.all([replicas.start(), replicas.start(), replicas.start()].map((replica) => replica.renew(account)));
    const orders = due.map(({ orderId }) => orderId);
    expect((await chargedOrders(account)).toSorted()).toEqual(orders.toSorted());
  }
});
