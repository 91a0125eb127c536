import { newId, newIdSuffix } from '@app/contracts/ids';
import { createOrder } from '@app/contracts/orders';
import { type Database, openDatabase } from '@app/service-kit/database';
import { expect, test } from 'vitest';
import { hashOf, newSecret } from '../src/checkouts/secret.ts';
import { databaseOptions } from '../src/db/migrate.ts';
import { claimReminders } from '../src/reminders/claim-reminders.ts';
import { stalledPages } from '../src/reminders/find-stalled.ts';
import { stalledBounds } from '../src/reminders/reminder.rules.ts';
import { plainCourse } from './checkout-harness.ts';
import { account, context, course, orderBody } from './harness.ts';
import { dayMs, decodeQuotedPrintable, email, minuteMs } from './reminders-harness.ts';
import { harness, startReminders } from './reminders-set-up.ts';

startReminders();

const later = (ms: number) => harness.base.clock.advance(ms);
const sentTo = () => harness.smtp.received.map(({ to }) => to);
const nothing = { ok: true, sent: 0, recovered: 0, problem: null };
const one = { ...nothing, sent: 1 };

test('a stalled checkout gets one reminder, whose link copies the checkout as it was', async () => {
  const opened = await harness.open({ email, name: 'Bob', bumpIds: ['bmp_1'], discountCode: 'always' });
  const before = await harness.get(opened);
  later(61 * minuteMs);
  expect(await harness.run()).toEqual(one);
  const [link] = harness.links();
  expect(link).toMatchObject({ to: email });
  const { secret, ...copy } = await harness.restore(link?.restore ?? '');
  expect(copy).toEqual({ ...before, id: copy.id, createdAt: copy.createdAt });
  expect([copy.id, secret, link?.restore].filter((one) => one === opened.id || one === opened.secret)).toEqual([]);
  const text = decodeQuotedPrintable(harness.smtp.received[0]?.text ?? '');
  expect(text).toContain(`https://shop.example/c/restore/${link?.restore}.ada.course`);
  expect(text).toContain('Hello Bob,');
  expect(text).toContain('Course ($114.00) at Ada’s Courses');
  const [headers = ''] = harness.smtp.received[0]?.text.replaceAll(/\r\n[ \t]/g, ' ').split('\r\n\r\n') ?? [];
  const [, id] = /^Message-ID: <(rmd_\w+)@shop\.example>$/m.exec(headers.replaceAll('\r', '')) ?? [];
  expect(await harness.query('select id from reminders')).toEqual([{ id }]);
  expect(headers).toContain('Reply-To: help@example.com\r\n');
  expect(headers).toContain(`List-Unsubscribe: <https://shop.example/c/opt-out/${link?.token}>\r\n`);
  expect(headers).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n');
  const [stored] = await harness.query<{ row: string }>(
    `select string_agg(r::text, '') || (select string_agg(c::text, '') from checkouts as c) as row from reminders as r`,
  );
  for (const kept of [secret, link?.restore, link?.token]) expect(stored?.row).not.toContain(kept);
  const finished = (await harness.events()).find(({ subject }) => subject.includes('reminders.finished'));
  expect(finished?.data).toMatchObject({ platformRunId: null, sent: 1, recovered: 0 });
  expect(await harness.run()).toEqual(nothing);
});

test('a buyer whose address can receive nothing, as those of the demo shop, is not reminded and not counted', async () => {
  await harness.open({ email: 'Ada.Okafor@demo.INVALID' });
  await harness.open({ email });
  later(61 * minuteMs);
  expect(await harness.preview()).toMatchObject({ count: 1 });
  expect(await harness.run()).toEqual(one);
  expect(sentTo()).toEqual([email]);
});

test('a buyer gets ten reminders of an account a day, of however many products, and the others with later runs', async () => {
  await harness.open({ email });
  await harness.open({ email: 'grace@example.com' });
  later(61 * minuteMs);
  const now = harness.base.clock.now().toISOString();
  await harness.query(
    `insert into reminders (account_id, email, email_key, product_id, id, checkout_id, status, link_hash, token_hash, claimed_until, sent_at)
     select account_id, email_key, email_key, 'prd_' || n, 'rmd_' || n, id, 'sent', sha256(n::text::bytea), sha256(('t' || n)::bytea), '${now}', '${now}'
     from checkouts, generate_series(1, 10) as n where email = '${email}'`,
  );
  expect(await harness.run()).toEqual(one);
  expect(sentTo()).toEqual(['grace@example.com']);
  later(dayMs + minuteMs);
  expect(await harness.run()).toEqual(one);
  expect(sentTo()).toEqual(['grace@example.com', email]);
});

test('an account whose address is not verified reminds no buyer, says so once a run, and goes on when it is', async () => {
  await harness.setSettings('acc_1', { email: 'ada@example.com', emailVerified: false });
  await harness.open({ email });
  await harness.open({ email: 'Ada@example.com' });
  later(61 * minuteMs);
  expect(await harness.run()).toEqual({ ...one, sent: 0 });
  expect(sentTo()).toEqual([]);
  const noticed = (await harness.events()).filter(({ subject }) => subject.includes('reminder.noticed'));
  expect(noticed).toMatchObject([
    { data: { summary: expect.stringContaining('until the account’s email address is verified') } },
  ]);
  await harness.setSettings('acc_1', { email: 'ada@example.com', emailVerified: true });
  expect(await harness.run()).toEqual({ ...one, sent: 2 });
  expect(sentTo().sort()).toEqual(['Ada@example.com', email].sort());
});

test('the seller’s own page gets the token after the #, whatever the page’s address is', async () => {
  await harness.setSettings('acc_1', { checkoutUrl: 'https://ada.example/buy?lang=en#top' });
  await harness.open({ email });
  later(61 * minuteMs);
  await harness.run();
  const text = decodeQuotedPrintable(harness.smtp.received[0]?.text ?? '');
  expect(text).toContain('https://ada.example/buy?lang=en#restore=');
});

test('only those are reminded who stalled, left an email, have not bought since and can still buy', async () => {
  const buyer = (name: string) => `${name}@example.com`;
  const old = await harness.open({ email: buyer('old') });
  later(7 * dayMs - 60 * minuteMs);
  await harness.open();
  await harness.open({ email: buyer('test') }, { testMode: true });
  const declined = await harness.open({ email: buyer('declined') });
  await harness.open({ email: buyer('paid') });
  await harness.pay(await harness.open({ email: buyer('Paid') }), 'ok');
  await harness.open({ email: buyer('recorded') });
  harness.base.products.set('acc_1/course', course);
  const order = { body: orderBody({ email: buyer('RECORDED') }), account };
  const commandId = newIdSuffix(harness.base.clock.nowMs());
  await harness.base.requester.request(createOrder, order, context('acc_1', commandId));
  harness.shop.set('acc_1/gone', { ...plainCourse, productId: 'prd_2', slug: 'gone' });
  await harness.open({ email: buyer('gone'), slug: 'gone' });
  harness.shop.set('acc_1/gone', { ...plainCourse, productId: 'prd_2', slug: 'gone', status: 'archived' });
  const active = await harness.open({ email: buyer('active') });
  await harness.open({ email: buyer('Two') });
  const latest = await harness.open({ email: buyer('two') });
  later(50 * minuteMs);
  await harness.update(active, { name: 'Still here' });
  await harness.pay(declined, 'declined');
  later(11 * minuteMs);
  expect(await harness.get(old)).toMatchObject({ status: 'open' });
  expect(await harness.run()).toEqual(one);
  expect(sentTo()).toEqual([buyer('two')]);
  expect(await harness.query('select checkout_id from reminders')).toEqual([{ checkout_id: latest.id }]);
  later(50 * minuteMs);
  expect(await harness.run()).toEqual({ ...nothing, sent: 2 });
  expect(sentTo().toSorted()).toEqual([buyer('active'), buyer('declined'), buyer('two')]);
});

test('a buyer whose subscription of the product lives is not reminded of it, and is once it has ended', async () => {
  await harness.query(
    `insert into sold_subscriptions (id, account_id, order_id, email, email_key, product_id)
     select 'sub_' || n, case when n = 3 then 'acc_2' else 'acc_1' end, 'ord_' || n, mailbox, mailbox, product
     from (values (1, 'bob@example.com', '${plainCourse.productId}'), (2, 'grace@example.com', 'prd_9'), (3, 'ada@example.com', '${plainCourse.productId}')) as of (n, mailbox, product)`,
  );
  for (const buyer of ['Bob@example.com', 'grace@example.com', 'ada@example.com']) await harness.open({ email: buyer });
  later(61 * minuteMs);
  expect(await harness.preview()).toMatchObject({ count: 2 });
  expect(await harness.run()).toEqual({ ...nothing, sent: 2 });
  expect(sentTo().toSorted()).toEqual(['ada@example.com', 'grace@example.com']);
  await harness.query(`update sold_subscriptions set ended_at = now() where id = 'sub_1'`);
  expect(await harness.run()).toEqual(one);
  expect(sentTo()).toContain('Bob@example.com');
});

test('the account’s delay decides when a checkout has stalled', async () => {
  await harness.setSettings('acc_1', { nudgeAfterMinutes: 10 });
  await harness.open({ email });
  later(9 * minuteMs);
  expect(await harness.run()).toEqual(nothing);
  later(2 * minuteMs);
  expect(await harness.run()).toEqual(one);
});

test('a buyer is reminded of a product once in 30 days, and of another product all the same', async () => {
  harness.shop.set('acc_1/second', { ...plainCourse, productId: 'prd_2', slug: 'second', name: 'Second' });
  await harness.open({ email });
  later(61 * minuteMs);
  expect(await harness.run()).toEqual(one);
  for (let day = 0; day < 28; day += 7) {
    later(7 * dayMs);
    await harness.open({ email: 'BOB@example.com' });
    later(61 * minuteMs);
    expect(await harness.run()).toEqual(nothing);
  }
  await harness.open({ email, slug: 'second' });
  later(61 * minuteMs);
  expect(await harness.run()).toEqual(one);
  later(2 * dayMs);
  expect(await harness.run()).toEqual(one);
});

test('two runs on two replicas send one reminder each, and both report the same result', async () => {
  const replica = await harness.base.start(harness.settings);
  const buyers = Array.from({ length: 60 }, (_, n) => `buyer${n}@example.com`);
  await Promise.all(buyers.map((buyer) => harness.open({ email: buyer })));
  later(61 * minuteMs);
  const greetings = harness.holdGreetings();
  const running = Promise.all(Array.from({ length: 6 }, () => harness.run()));
  await greetings.held(4);
  expect((await harness.reminders()).filter(({ status }) => status === 'sending')).toHaveLength(4);
  greetings.greet();
  const results = await running;
  for (const result of results) expect(result).toEqual({ ...nothing, sent: 60 });
  expect(sentTo().toSorted()).toEqual(buyers.toSorted());
  await replica.close();
});

test('of two claims at the same time each buyer and product is in one, whatever runs them', async () => {
  await Promise.all(Array.from({ length: 40 }, (_, n) => harness.open({ email: `${n}@example.com` })));
  later(61 * minuteMs);
  const databases = await Promise.all([1, 2].map(() => openDatabase(databaseOptions(harness.base.database.url))));
  const bounds = stalledBounds(harness.base.clock.nowMs(), 60);
  const claim = async (database: Database) => {
    const claimed: string[] = [];
    for await (const page of stalledPages(database, 'acc_1', () => bounds, 50)) {
      const reminders = page.map(({ id, buyer, product_id }) => {
        const hash = hashOf(newSecret());
        const own = newId('reminder', Date.now());
        return { id: own, checkout_id: id, buyer, product_id, link_hash: hash, token_hash: hash };
      });
      claimed.push(...(await claimReminders(database, 'acc_1', bounds, reminders)));
    }
    return claimed;
  };
  const claims = (await Promise.all([...databases, ...databases].map(claim))).flat();
  expect(claims).toHaveLength(40);
  const stored = await harness.query<{ id: string }>('select id from reminders');
  expect(claims.toSorted()).toEqual(stored.map(({ id }) => id).toSorted());
  for (const database of databases) await database.close();
});

test('an account with few stalled checkouts does not wait behind one with many', async () => {
  for (const [account, count] of [
    ['acc_1', 40],
    ['acc_2', 30],
    ['acc_3', 1],
  ] as const) {
    harness.shop.set(`${account}/course`, plainCourse);
    const openOne = (n: number) => harness.open({ email: `${account}-${n}@example.com` }, { accountId: account });
    await Promise.all(Array.from({ length: count }, (_, n) => openOne(n)));
  }
  later(61 * minuteMs);
  expect(await harness.run(null)).toEqual({ ...nothing, sent: 71 });
  const [few, many] = ['acc_3-', 'acc_1-'].map((account) => sentTo().findIndex((to) => to.startsWith(account)));
  expect(few).toBeLessThan(many ?? 0);
});

test('a repeated command gets the result of its run', async () => {
  await harness.open({ email });
  later(61 * minuteMs);
  const { commandId } = context();
  expect(await harness.run('acc_1', commandId)).toEqual(one);
  expect(await harness.run('acc_1', commandId)).toEqual(one);
  expect(sentTo()).toEqual([email]);
});

test('a reminded checkout that became an order is counted once, when it is paid', async () => {
  const [bought, left] = [await harness.open({ email }), await harness.open({ email: 'eve@example.com' })];
  later(61 * minuteMs);
  expect(await harness.run()).toEqual({ ...nothing, sent: 2 });
  await harness.pay(bought);
  expect(await harness.run()).toEqual({ ...nothing, recovered: 1 });
  expect(await harness.run()).toEqual(nothing);
  await harness.pay(left);
  expect(await harness.run(null)).toEqual({ ...nothing, recovered: 1 });
  expect(await harness.run(null)).toEqual(nothing);
  const reported = (await harness.events()).filter(({ subject }) => subject.includes('reminders.finished'));
  expect(reported.map(({ data }) => [data.sent, data.recovered, data.runId === null])).toEqual([
    [2, 0, false],
    [0, 1, false],
    [0, 1, true],
  ]);
});

test('the preview shows what the run sends, oldest first and in pages, and claims nothing', async () => {
  const opened = [];
  for (let n = 0; n < 5; n += 1) {
    opened.push(await harness.open({ email: `${9 - n}@example.com`, bumpIds: ['bmp_1'] }));
    later(minuteMs);
  }
  await harness.open({ email: 'fresh@example.com' });
  later(57 * minuteMs);
  const first = await harness.preview({ limit: 2 });
  expect(first).toMatchObject({ count: 3, next: opened[1]?.id });
  expect(first.data.map(({ checkoutId }) => checkoutId)).toEqual([opened[0]?.id, opened[1]?.id]);
  expect(first.data[0]).toMatchObject({ customerEmail: '9@example.com', productName: 'Course', totalCents: 11_800 });
  const rest = await harness.preview({ limit: 2, after: first.next ?? '' });
  expect(rest).toMatchObject({ count: 3, next: null, data: [{ checkoutId: opened[2]?.id }] });
  expect(await harness.reminders()).toEqual([]);
  expect(await harness.run()).toEqual({ ...nothing, sent: 3 });
  harness.shop.set('acc_1/course', { ...plainCourse, status: 'archived' });
  later(10 * minuteMs);
  expect(await harness.preview()).toEqual({ count: 0, data: [], next: null });
});

test('opting out ends the seller’s reminders to the buyer for good, and is no other seller’s business', async () => {
  harness.shop.set('acc_2/course', plainCourse);
  await harness.open({ email });
  later(61 * minuteMs);
  await harness.run();
  const token = harness.links()[0]?.token ?? '';
  expect(await harness.getOptOut(token)).toEqual({ businessName: 'Ada’s Courses', optedOut: false });
  const ended = { businessName: 'Ada’s Courses', optedOut: true };
  expect([await harness.optOut(token), await harness.optOut(token), await harness.getOptOut(token)]).toEqual([
    ...[ended, ended, ended],
  ]);
  for (const unknown of ['', 'x', `${token}x`]) {
    await expect(harness.getOptOut(unknown)).rejects.toMatchObject({ code: 'not_found' });
    await expect(harness.optOut(unknown)).rejects.toMatchObject({ code: 'not_found' });
  }
  later(40 * dayMs);
  await harness.open({ email });
  await harness.open({ email }, { accountId: 'acc_2' });
  later(61 * minuteMs);
  expect(await harness.run('acc_1')).toEqual(nothing);
  expect(await harness.run('acc_2')).toEqual(one);
});

test('a buyer who opts out or buys between the claim and the sending gets no email', async () => {
  const buyers = ['a1', 'a2', 'a3', 'a4', 'buys', 'leaves'].map((name) => `${name}@example.com`);
  const opened = new Map<string, Awaited<ReturnType<typeof harness.open>>>();
  for (const buyer of buyers) opened.set(buyer, await harness.open({ email: buyer }));
  await harness.query(`insert into opt_out_tokens values (sha256('token'), 'acc_1', 'leaves@example.com', now())`);
  later(61 * minuteMs);
  const greetings = harness.holdGreetings();
  // Four are submitted at a time, from the page's end: the last two wait, claimed.
  await harness.query(`update checkouts set email = 'z' || email, email_key = 'z' || email where email like 'a%'`);
  const running = harness.run();
  await greetings.held(4);
  expect((await harness.reminders()).map(({ status }) => status)).toEqual([
    ...['claimed', 'claimed', 'sending', 'sending', 'sending', 'sending'],
  ]);
  await harness.optOut('token');
  const buying = opened.get('buys@example.com');
  if (buying) await harness.pay(buying);
  greetings.greet();
  expect(await running).toEqual({ ...nothing, sent: 4 });
  expect(sentTo().toSorted()).toEqual(buyers.slice(0, 4).map((buyer) => `z${buyer}`));
  expect(await harness.reminders()).toHaveLength(4);
});
