import { newId } from '@app/contracts/ids';
import type { Database } from '@app/service-kit/database';
import { fakeClock } from '@app/testing/fake-clock';
import { volume } from '@app/testing/long';
import { query } from '@app/testing/sql';
import { beforeEach, expect, test } from 'vitest';
import { accountsToVisit } from '../src/daily-run/accounts-to-visit.ts';
import { seedCharges } from './books-seed.ts';
import { database, openStorage, storage } from './set-up.ts';

openStorage();

const clock = fakeClock();
const dayMs = 86_400_000;
beforeEach(() =>
  database.pool.query('truncate renewals, subscriptions, holds, payments, disputes, charges, processor_keys'),
);

/** So many subscriptions, one account after the other, due at that time; over a connection without a time limit. */
const subscribe = (count: number, accounts: number, dueAt: Date, test = false) =>
  query(
    storage.url,
    `insert into subscriptions (id, account_id, order_id, product_id, product_name, customer_email, amount_cents, currency,
       billing_interval, status, collection, payment_method, anchor, period, current_period_end, next_charge_at, started_at, test,
       affiliate_named)
     select 'sub_' || n || $5, 'acc_' || lpad((n % $2)::text, 6, '0'), 'ord_' || n || $5, 'prd', 'Club', 'a@x.io', 1900, 'usd',
       'month', 'active', 'automatic', 'tok', $3::timestamptz - interval '1 month', 1, $3, $3, $3, $4, false
     from generate_series(1, $1) as n`,
    [count, accounts, dueAt, test, newId('order', 0)],
  );

async function visited(requested = database): Promise<string[]> {
  const accounts: string[] = [];
  for await (const account of accountsToVisit(requested, clock.now())) accounts.push(account);
  return accounts;
}

test('an account is visited when something is due in it, once, whatever is due', async () => {
  await subscribe(30, 3, new Date(clock.nowMs() - dayMs));
  await subscribe(30, 3, clock.now());
  expect(await visited()).toEqual(['acc_000000', 'acc_000001', 'acc_000002']);
});

test('accounts with more due than a batch come after all others, and once', async () => {
  await subscribe(257 * 2, 2, clock.now());
  await database.pool.query(`update subscriptions set account_id = 'acc_000002' where id in (
    select id from subscriptions where account_id = 'acc_000001' order by id limit 1)`);
  const charged = { prefix: 'much', count: 2, from: new Date(clock.nowMs() - dayMs) };
  await seedCharges(database, 'acc_000000', charged);
  await seedCharges(database, 'acc_000003', { ...charged, prefix: 'little' });
  expect(await visited()).toEqual(['acc_000001', 'acc_000002', 'acc_000003', 'acc_000000']);
});

test('what is due later, paused or of a rehearsal brings no visit', async () => {
  await subscribe(4, 2, new Date(clock.nowMs() + 1));
  await subscribe(4, 2, new Date(clock.nowMs() - dayMs), true);
  expect(await visited()).toEqual([]);
});

test('an account that charged within the last 35 days is visited, because its books are compared', async () => {
  const charged = (accountId: string, daysAgo: number) =>
    seedCharges(database, accountId, { prefix: accountId, count: 2, from: new Date(clock.nowMs() - daysAgo * dayMs) });
  await charged('acc_recent', 34);
  await charged('acc_silent', 36);
  expect(await visited()).toEqual(['acc_recent']);
  await database.pool.query('update charges set test = true');
  expect(await visited()).toEqual([]);
});

test('an account with a key for live payments is visited each day, also when nothing was charged for long', async () => {
  await seedCharges(database, 'acc_silent', {
    prefix: 'silent',
    count: 2,
    from: new Date(clock.nowMs() - 400 * dayMs),
  });
  const store = (accountId: string, test: boolean, current: boolean) =>
    database.pool.query(
      `insert into processor_keys (account_id, processor, test, at_processor, secret_key, publishable_key,
         missing_permissions, current, stored_at)
       values ($1, 'stripe', $2, $4, '', 'pk', '{}', $3, now())`,
      [accountId, test, current, `acct_${current}`],
    );
  await store('acc_silent', false, true);
  await store('acc_silent', false, false);
  await store('acc_rehearsing', true, true);
  expect(await visited()).toEqual(['acc_silent']);
});

test('more accounts than a page holds are all visited', async () => {
  await subscribe(4_100, 4_100, clock.now());
  const accounts = await visited();
  expect([accounts.length, new Set(accounts).size]).toEqual([4_100, 4_100]);
});

/** The database, with the count of the pages that its statements have read. */
function countingPages(): Database & { readonly pages: () => number } {
  let pages = 0;
  const query = async (config: { text: string; values: unknown[] }) => {
    const { rows } = await database.pool.query(`explain (analyze, buffers, format json) ${config.text}`, config.values);
    const { 'Shared Hit Blocks': hit, 'Shared Read Blocks': read } = rows[0]['QUERY PLAN'][0].Plan;
    pages += hit + read;
    return await database.pool.query(config as never);
  };
  return { ...database, pool: Object.assign(Object.create(database.pool), { query }), pages: () => pages };
}

const notDue = volume(5_000, 100_000);

test.each([
  ['of many accounts', notDue / 10],
  ['of one account', 1],
])(
  'subscriptions %s of which none is due are passed over with a few pages read for each account',
  async (_, accounts) => {
    await subscribe(notDue, accounts, new Date(clock.nowMs() + dayMs));
    await database.pool.query('analyze subscriptions');
    const counted = countingPages();
    expect(await visited(counted)).toEqual([]);
    expect(counted.pages()).toBeLessThan(50 + 10 * accounts);
  },
);
