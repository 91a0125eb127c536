import type { RequestInput } from '@app/contracts/define';
import { listCheckouts } from '@app/contracts/unfinished-checkouts';
import { plannedScans, query } from '@app/testing/sql';
import { expect, test } from 'vitest';
import { context } from './harness.ts';
import { countStatements } from './named-statements.ts';
import { minuteMs } from './reminders-harness.ts';
import { harness, startReminders } from './reminders-set-up.ts';

startReminders();

type Query = RequestInput<typeof listCheckouts>;
const list = (page: Query = {}, accountId = 'acc_1') =>
  harness.base.requester.request(listCheckouts, page, context(accountId));
const shown = async (page: Query = {}) => (await list(page)).data.map(({ id, status }) => [id, status]);

test('a checkout with an email is open, stalled, reminded, and expired; one that is paid leaves the list', async () => {
  const lost = await harness.open({ email: 'lost@example.com' });
  await harness.query(`update checkouts set status = 'expired' where id = '${lost.id}'`);
  const left = await harness.open({ email: 'Left@example.com', name: 'Lea', discountCode: 'always' });
  harness.base.clock.advance(61 * minuteMs);
  expect(await shown()).toEqual([
    [left.id, 'stalled'],
    [lost.id, 'expired'],
  ]);
  await harness.run();
  const fresh = await harness.open({ email: 'fresh@example.com' });
  const paid = await harness.open({ email: 'paid@example.com' });
  await harness.pay(paid);
  await harness.open();
  await harness.open({ email: 'test@example.com' }, { testMode: true });
  expect(await shown()).toEqual([
    [fresh.id, 'open'],
    [left.id, 'reminded'],
    [lost.id, 'expired'],
  ]);
  for (const [status, id] of [
    ['open', fresh.id],
    ['reminded', left.id],
    ['expired', lost.id],
  ] as const)
    expect(await shown({ status })).toEqual([[id, status]]);
  expect(await shown({ status: 'stalled' })).toEqual([]);
  const { data } = await list({ status: 'reminded' });
  expect(data[0]).toMatchObject({ customer_email: 'Left@example.com', customer_name: 'Lea', discount_code: 'ALWAYS' });
  const [reminder] = await harness.query<{ sent_at: Date }>('select sent_at from reminders');
  expect(data[0]?.reminded_at).toBe(reminder?.sent_at.toISOString());
  const all = JSON.stringify(await list());
  for (const secret of [lost.secret, left.secret, fresh.secret, ...harness.links().map((link) => link.restore)])
    expect(all).not.toContain(secret);
});

test('the list pages by id, by product, and by nothing of another account', async () => {
  const opened = [];
  for (const email of ['a@example.com', 'b@example.com', 'c@example.com']) opened.push(await harness.open({ email }));
  const [a, b, c] = opened.map(({ id }) => id);
  const first = await list({ limit: 2 });
  expect([first.data.map(({ id }) => id), first.has_more]).toEqual([[c, b], true]);
  const rest = await list({ before: b as string });
  expect([rest.data.map(({ id }) => id), rest.has_more]).toEqual([[a], false]);
  const [{ product_id: productId } = { product_id: '' }] = first.data;
  expect((await list({ productId })).data).toHaveLength(3);
  expect((await list({ productId: `${productId.slice(0, -1)}0` })).data).toEqual([]);
  expect((await list({}, 'acc_2')).data).toEqual([]);
  await expect(list({ before: a as string }, 'acc_2')).rejects.toMatchObject({ errors: [{ field: 'before' }] });
});

const copied =
  'product_id, product_slug, seller_name, support_email, decision_minutes, test, shown_cents, shown_quote, settings_revision';

test('both lists follow an index of their own', async () => {
  const texts = new Map<string, string>();
  await countStatements(harness.base.database.url, texts);
  await list();
  await list({ status: 'expired' });
  await harness.open({ email: 'a@example.com' });
  await harness.query(`
    insert into checkouts (${copied}, id, account_id, email, email_key, status, secret_hashes, bump_ids, created_at)
    select ${copied}, 'cko_01' || lpad(n::text, 24, '0'), 'acc_' || n % 9, case when n % 2 = 0 then 'a' || n end,
      case when n % 2 = 0 then 'a' || n end,
      case when n % 4 = 0 then 'expired' else 'open' end, '{}', '{}', now() from checkouts, generate_series(1, 3000) as n`);
  await query(harness.base.database.url, 'analyze checkouts');
  for (const name of ['unfinished', 'expired']) {
    const scans = await plannedScans(harness.base.database.url, texts.get(`checkouts-${name}`) as string);
    expect(scans.map(({ index, lookUp }) => lookUp && index)).toEqual([
      `checkouts_${name}`,
      'reminders_of_key',
      'checkouts_copies',
    ]);
  }
});

test('a restored checkout is listed once, as the copy that its buyer goes on with, until it is paid', async () => {
  const original = await harness.open({ email: 'back@example.com' });
  harness.base.clock.advance(61 * minuteMs);
  await harness.run();
  const token = harness.links().at(-1)?.restore ?? '';
  const [, copy] = [await harness.restore(token), await harness.restore(token)];
  const ids = async () => (await list()).data.map(({ id }) => id);
  expect(await ids()).toEqual([original.id]);
  await harness.update(copy, { name: 'Back' });
  expect(await ids()).toEqual([copy.id]);
  expect((await list()).data[0]).toMatchObject({ status: 'reminded', customer_name: 'Back' });
  await harness.pay(copy);
  expect(await ids()).toEqual([]);
});
