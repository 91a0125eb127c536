import { createAutomation, getAutomation, listAutomations, updateAutomation } from '@app/contracts/automations';
import { limits } from '@app/contracts/common';
import { newId, newIdSuffix } from '@app/contracts/ids';
import { orderExpired, orderRefunded } from '@app/contracts/orders';
import { subscriptionCanceled, subscriptionPaused } from '@app/contracts/subscriptions';
import { listDeliveries, redeliver } from '@app/contracts/webhook-deliveries';
import { startReceiver } from '@app/testing/http-receiver';
import { expect, test } from 'vitest';
import { stored } from './harness.ts';
import { headerOf } from './mail-seller.ts';
import { actWith, harness, seller, server, startMailService } from './mail-set-up.ts';
import { eventTime, soldSubscription } from './orders.ts';

startMailService();

const list = async () => (await harness.request(listAutomations, seller.account, {})).data;
const builtIn = async (key: string) => (await list()).find(({ built_in }) => built_in === key) ?? expect.fail(key);
const switchOff = async (...keys: string[]) => {
  for (const key of keys) {
    const { id } = await builtIn(key);
    await harness.request(updateAutomation, seller.account, { automationId: id, body: { active: false } });
  }
};
const receivedBy = (to: string) => server.received.filter((email) => email.to === to);
const add = (body: object) =>
  harness.request(createAutomation, seller.account, { body: { name: 'Mine', ...body } as never });
const mine = (change: object = {}) => ({
  event: 'order.paid',
  action: { type: 'email', to: 'buyer', subject: 'Hi {{firstName}}', body: 'Yours: {{product}}', ...change },
});

test('a sale sends the buyer a receipt and the seller a notice, and both are runs of automations known before', async () => {
  const before = await list();
  expect(before.map(({ built_in, active, available }) => [built_in, active, available])).toEqual([
    ['receipt', true, true],
    ['sale_notice', true, true],
    ['renewal_receipt', true, true],
    ['refund_notice', true, true],
    ['partial_refund_notice', true, true],
    ['hold_end_notice', true, true],
    ['payment_failed_notice', true, true],
    ['renewal_failed_notice', true, true],
    ['cancellation_notice', true, true],
    ['dispute_notice', true, true],
    ['dispute_end_notice', true, true],
    ['endpoint_off_notice', true, true],
    ['key_refused_notice', true, true],
  ]);
  await seller.sell({ customerEmail: 'bob@example.com', customerName: 'Bob Miller' });
  await seller.tried(2);
  expect(server.received).toHaveLength(2);
  const [receipt] = receivedBy('bob@example.com');
  const text = receipt?.text ?? '';
  expect(text).toContain('https://maya.example/a');
  expect(text).toContain('=E2=82=AC49.00');
  expect(headerOf(text, 'From')).toBe('"Maya & Co" <mail@platform.example>');
  expect(headerOf(text, 'Reply-To')).toBe('help@maya.example');
  expect(headerOf(text, 'Auto-Submitted')).toBe('auto-generated');
  expect(receivedBy('help@maya.example')).toHaveLength(1);
  const runs = await seller.runs();
  expect(runs.map(({ status }) => status)).toEqual(['delivered', 'delivered']);
  expect(runs.map(({ endpoint_id }) => endpoint_id).sort()).toEqual(
    before
      .slice(0, 2)
      .map(({ id }) => id)
      .sort(),
  );
  expect(runs.map(({ id }) => `<${id}@platform.example>`)).toContain(headerOf(text, 'Message-ID'));
  expect(await list()).toEqual(before);
  const urls = (await seller.activity()).map(({ url, error, status_code }) => [url, error, status_code]);
  expect(urls.sort()).toEqual([
    ['mailto:bob@example.com', null, null],
    ['mailto:help@maya.example', null, null],
  ]);
  const { data: deliveries } = await harness.request(listDeliveries, seller.account, {});
  const emails = deliveries.filter(({ endpoint_id }) => endpoint_id.startsWith('aut_'));
  expect(emails.map(({ url }) => url).sort()).toEqual(['mailto:bob@example.com', 'mailto:help@maya.example']);
});

test('an account whose address is not verified writes to nobody, and what waits goes out once it is', async () => {
  await actWith({ email: 'maya@own.example', emailVerified: false });
  await add({ ...mine(), action: { ...mine().action, to: 'seller' } });
  await seller.sell({ customerEmail: 'stranger@example.com' });
  await seller.sell({ customerEmail: 'Maya@own.example' });
  await seller.tried(6);
  expect(server.received).toEqual([]);
  expect((await seller.runs()).map(({ status, attempts }) => [status, attempts])).toEqual(
    Array(6).fill(['pending', 0]),
  );
  const said = (await seller.activity()).filter(({ error }) =>
    error?.includes('waits until the account’s email address'),
  );
  expect(said).toHaveLength(6);
  await seller.change({ email: 'maya@own.example', emailVerified: true });
  harness.clock.advance(11 * 60_000);
  harness.wake();
  await seller.tried(12);
  expect(server.received).toHaveLength(6);
});

test('what waited for a verified address keeps the bound of ten of a kind to one address once it goes out', async () => {
  await actWith({ email: 'maya@own.example', emailVerified: false });
  await switchOff('sale_notice');
  const recorded = { processor: undefined, customerEmail: 'eve@example.com' };
  await Promise.all(Array.from({ length: 12 }, () => seller.sell(recorded)));
  await seller.tried(12);
  expect(server.received).toEqual([]);
  await seller.change({ email: 'maya@own.example', emailVerified: true });
  harness.clock.advance(11 * 60_000);
  harness.wake();
  await seller.tried(24);
  expect(receivedBy('eve@example.com')).toHaveLength(10);
  expect((await seller.activity()).filter(({ error }) => error?.includes('10 emails of one kind'))).toHaveLength(2);
  harness.clock.advance(25 * 60 * 60_000);
  harness.wake();
  await seller.tried(26);
  expect(receivedBy('eve@example.com')).toHaveLength(12);
});

test('what waits for a verified address is given up after three days', async () => {
  await actWith({ email: 'maya@own.example', emailVerified: false });
  await seller.sell();
  await seller.tried(2);
  harness.clock.advance(3 * 24 * 60 * 60_000 + 60_000);
  harness.wake();
  await seller.tried(4);
  expect((await seller.runs()).map(({ status, reason }) => [status, reason])).toEqual(
    Array(2).fill(['failed', 'unverified']),
  );
  expect(server.received).toEqual([]);
});

test('a recipient gets ten emails of a kind a day, the others the next day; receipts of charged orders and the account’s own are apart', async () => {
  await actWith({ email: 'maya@own.example', supportEmail: 'maya@own.example' });
  await Promise.all(
    Array.from({ length: 12 }, () =>
      seller.sell({ totalCents: 0, processor: undefined, customerEmail: 'eve@example.com' }),
    ),
  );
  await seller.tried(24);
  expect([receivedBy('eve@example.com').length, receivedBy('maya@own.example').length]).toEqual([10, 12]);
  expect((await seller.activity()).filter(({ error }) => error?.includes('10 emails of one kind'))).toHaveLength(2);
  await Promise.all(Array.from({ length: 11 }, () => seller.sell({ customerEmail: 'grace@example.com' })));
  await seller.tried(46);
  expect(receivedBy('grace@example.com')).toHaveLength(11);
  harness.clock.advance(25 * 60 * 60_000);
  harness.wake();
  await seller.tried(48);
  expect(receivedBy('eve@example.com')).toHaveLength(12);
});

test.each([
  ['recorded by the seller’s code', { source: 'api', paymentMethod: 'pm_1', processor: undefined }],
  ['simulated', { source: 'checkout', processor: 'simulated' }],
] as const)('receipts of orders that were %s cost nobody anything: a recipient gets ten a day', async (_, fields) => {
  await actWith({ email: 'maya@own.example' });
  await switchOff('sale_notice');
  await Promise.all(Array.from({ length: 12 }, () => seller.sell({ customerEmail: 'eve@example.com', ...fields })));
  await seller.tried(12);
  expect(receivedBy('eve@example.com')).toHaveLength(10);
});

test('a receipt of a charged order that the seller sends again and again goes out ten times more a day', async () => {
  await actWith({ email: 'maya@own.example' });
  await switchOff('sale_notice');
  await seller.sell({ customerEmail: 'eve@example.com' });
  for (let n = 1; n <= 12; n += 1) {
    await seller.tried(n);
    const [run] = await seller.runs();
    await harness.request(redeliver, seller.account, { deliveryId: run?.id ?? '' });
  }
  await seller.tried(13);
  expect(receivedBy('eve@example.com')).toHaveLength(11);
});

test('pausing a subscription again and again writes its buyer ten emails a day, and so do ends of those that took no money', async () => {
  await actWith({ email: 'maya@own.example' });
  await switchOff('sale_notice', 'receipt');
  await add({ event: 'subscription.paused', action: mine({ subject: 'Hi' }).action });
  const nowMs = harness.clock.nowMs();
  const [ofRecorded, ofCharged] = [newId('order', nowMs), newId('order', nowMs)];
  await stored(await seller.sell({ orderId: ofRecorded, processor: undefined, customerEmail: 'eve@example.com' }));
  await stored(await seller.sell({ orderId: ofCharged, customerEmail: 'grace@example.com' }));
  const ofSubscription = (orderId: string, customerEmail: string) => ({ ...soldSubscription, orderId, customerEmail });
  const twelve = async (publish: () => Promise<string>): Promise<void> => {
    await Promise.all(Array.from({ length: 12 }, async () => stored(await publish())));
  };
  const changed = { statusBefore: 'active', pausedAt: eventTime } as const;
  const ended = { statusBefore: 'active', canceledAt: eventTime, reason: 'seller', sendWebhook: true } as const;
  for (const [orderId, email] of [
    [ofRecorded, 'eve@example.com'],
    [ofCharged, 'grace@example.com'],
  ] as const) {
    const about = ofSubscription(orderId, email);
    await twelve(() => harness.publish(subscriptionPaused, seller.account, { ...about, ...changed }));
    await twelve(() => harness.publish(subscriptionCanceled, seller.account, { ...about, ...ended }));
  }
  await seller.tried(48);
  const counts = ['eve@example.com', 'grace@example.com'].map((email) => receivedBy(email).length);
  expect(counts).toEqual([10 + 10, 10 + 12]);
});

test('what is for the seller comes to the account’s own address until the one for support has confirmed', async () => {
  await actWith({ email: 'maya@own.example' });
  await seller.sell({ customerEmail: 'bob@example.com' });
  await seller.tried(2);
  expect(server.received.map(({ to }) => to).sort()).toEqual(['bob@example.com', 'maya@own.example']);
  await seller.change({ email: 'maya@own.example', supportEmailVerified: true });
  await seller.sell({ customerEmail: 'bob@example.com' });
  await seller.tried(4);
  expect(receivedBy('help@maya.example')).toHaveLength(1);
});

test('a rehearsal goes to the account’s own address, whatever address for support it has', async () => {
  await actWith({ email: 'maya@own.example' });
  await seller.sell({ test: true, customerEmail: 'bob@example.com' });
  await seller.tried(2);
  expect(server.received.map(({ to }) => to)).toEqual(['maya@own.example', 'maya@own.example']);
});

test('an order of the demo shop sends no email, neither to its buyer nor to the seller', async () => {
  await stored(await seller.sell({ customerEmail: 'ada.okafor@demo.invalid' }));
  await seller.sell({ customerEmail: 'bob@example.com' });
  await seller.tried(2);
  expect(server.received.map(({ to }) => to).sort()).toEqual(['bob@example.com', 'help@maya.example']);
  expect(await seller.runs()).toHaveLength(2);
});

test('a rehearsal’s receipt goes to the seller alone and says that it is a test, and a hostile name is in no email to the address beside it', async () => {
  await switchOff('sale_notice');
  await seller.sell({ test: true, customerEmail: 'bob@example.com', customerName: 'Win\r\nBcc: eve@example.com' });
  await seller.tried(1);
  expect(server.received).toHaveLength(1);
  const [email] = receivedBy('help@maya.example');
  expect(headerOf(email?.text ?? '', 'Subject')).toMatch(/^(=\?UTF-8\?.*|\[Test\] )/);
  expect(email?.text).not.toMatch(/Win|eve@|^bcc/im);
});

test('an automation runs for its event and its product, and not while it is off', async () => {
  await switchOff('receipt', 'sale_notice', 'refund_notice');
  const productId = 'prd_01kaf2m4n6p8r0t2v4x6z8b0dg';
  await add({ ...mine(), productId });
  const off = await add({ ...mine(), active: false });
  expect(off.active).toBe(false);
  const sold = [await seller.sell()];
  sold.push(await seller.sell({ productId, customerEmail: 'bob@example.com', customerName: 'Bob' }));
  for (const id of sold) await stored(id);
  await seller.tried(1);
  expect(server.received).toHaveLength(1);
  expect(headerOf(server.received[0]?.text ?? '', 'Subject')).toBe('Hi Bob');
  expect(await seller.runs()).toHaveLength(1);
});

test('creates at once, and repeated ones, add no more automations than an account may have', async () => {
  const { id } = await add({ ...mine(), active: false });
  await harness.query(
    `insert into endpoints (id, account_id, role, name, active, events, action, version, created_at, updated_at)
     select left(id, -10) || lpad(n::text, 10, '0'), account_id, role, name, active, events, action, version, created_at, updated_at
     from endpoints, generate_series(1, $2::int) n where id = $1`,
    [id, limits.automationsPerAccount - 5],
  );
  const commandId = newIdSuffix(harness.clock.nowMs());
  const body = { name: 'Mine', ...mine(), active: false } as never;
  const repeat = () => harness.request(createAutomation, seller.account, { body }, commandId);
  const first = await repeat();
  const repeated = await Promise.all([repeat(), repeat(), add({ ...mine(), active: false }), repeat()]);
  expect(repeated.filter(({ id }) => id === first.id)).toHaveLength(3);
  const made = await Promise.allSettled(Array.from({ length: 12 }, () => add({ ...mine(), active: false })));
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  expect((await list()).filter(({ built_in }) => built_in === null)).toHaveLength(limits.automationsPerAccount);
  // A repeated command has its answer, also when there is no room left.
  expect((await repeat()).id).toBe(first.id);
  await expect(add({ ...mine(), active: false })).rejects.toMatchObject({ code: 'limit_reached' });
});

test('a changed template holds for the next email, and the built-in automation stays what it is', async () => {
  await switchOff('sale_notice');
  const { id, action } = await builtIn('receipt');
  const changed = { ...(action as object), subject: 'Thanks, {{firstName}}', body: 'Bye' } as never;
  await harness.request(updateAutomation, seller.account, { automationId: id, body: { action: changed } });
  await seller.sell({ customerName: 'Ada Lovelace' });
  await seller.tried(1);
  expect(server.received).toHaveLength(1);
  expect(headerOf(server.received[0]?.text ?? '', 'Subject')).toBe('Thanks, Ada');
  const after = await harness.request(getAutomation, seller.account, { automationId: id });
  expect(after).toMatchObject({ built_in: 'receipt', name: 'Receipt to the buyer', action: changed });
});

test('an automation POSTs the webhook’s payload, signed with a secret of its own', async () => {
  await switchOff('receipt', 'sale_notice');
  const receiver = await startReceiver();
  const { secret, id } = await add({ event: 'order.paid', action: { type: 'post', url: `${receiver.url}/a` } });
  expect(secret).toMatch(/^whsec_/);
  const eventId = await seller.sell();
  await seller.tried(1);
  expect(receiver.requests).toHaveLength(1);
  const [request] = receiver.requests;
  expect(request?.headers).toMatchObject({ 'webhook-id': eventId, 'x-service-event': 'order.paid' });
  expect(JSON.parse(request?.body ?? '')).toMatchObject({ event: 'order.paid', email: 'ada@example.com' });
  expect(await seller.runs()).toMatchObject([{ endpoint_id: id, status: 'delivered', attempts: 1 }]);
});

test.each([
  ['refuses the address for good', '550 no such user', { status: 'failed', reason: 'refused' }, /no such user/],
  ['says not now', '451 later', { status: 'pending', reason: null }, /later/],
])('a mail server that %s: the run says so', async (_, reply, run, error) => {
  await switchOff('sale_notice');
  server.behaviour.RCPT = reply;
  await seller.sell();
  await seller.tried(1);
  expect(await seller.runs()).toMatchObject([{ ...run, attempts: 1 }]);
  server.behaviour.RCPT = '250 ok';
  const [entry] = await seller.activity();
  expect(entry).toMatchObject({ status: 'failed', error: expect.stringMatching(error) });
});

test('a mail server that hangs up after the message is not called again: it may have been sent', async () => {
  await switchOff('sale_notice');
  server.behaviour.message = 'hang up';
  await seller.sell();
  await seller.tried(1);
  expect(await seller.runs()).toMatchObject([{ status: 'failed', reason: 'unknown' }]);
  server.behaviour.message = '250 taken';
  expect(server.received).toHaveLength(1);
});

test('the buyer is notified once of a refund', async () => {
  const about = { orderId: 'ord_01kahv7w3xe5m8q2r6t9y0b4cd', productId: 'prd_01kaf2m4n6p8r0t2v4x6z8b0dg' };
  const order = { ...about, productName: 'Course', customerEmail: 'bob@example.com', currency: 'usd', test: false };
  const at = harness.clock.now().toISOString();
  await harness.publish(orderRefunded, seller.account, {
    ...order,
    ...{
      totalCents: 4900,
      refundedCents: 4900,
      refundNo: 1,
      counted: { orders: 1, cents: 4900 },
      paidAt: at,
      refundedAt: at,
    },
  });
  await seller.tried(1);
  expect(receivedBy('bob@example.com')).toHaveLength(1);
  expect(receivedBy('bob@example.com')[0]?.text).toContain('$49.00');
});

test('the buyer is notified once that a held order has ended and nothing was charged, and the webhook says why', async () => {
  const about = { orderId: 'ord_01kahv7w3xe5m8q2r6t9y0b4cd', productId: 'prd_01kaf2m4n6p8r0t2v4x6z8b0dg' };
  const order = { ...about, productName: 'Course', customerEmail: 'bob@example.com', currency: 'usd', test: false };
  const expiredAt = harness.clock.now().toISOString();
  await harness.publish(orderExpired, seller.account, { ...order, totalCents: 4900, reason: 'released', expiredAt });
  await seller.tried(1);
  expect(server.received.map(({ to }) => to)).toEqual(['bob@example.com']);
  const text = receivedBy('bob@example.com')[0]?.text.replaceAll('=\r\n', '');
  expect(text).toContain('Nothing was charged: the $49.00');
});

test('a run that is redelivered sends its email again, as the same message', async () => {
  await switchOff('sale_notice');
  await seller.sell({ customerEmail: 'bob@example.com' });
  await seller.tried(1);
  const [run, ...others] = await seller.runs();
  expect([run, others]).toMatchObject([{ status: 'delivered' }, []]);
  await harness.request(redeliver, seller.account, { deliveryId: run?.id ?? '' });
  await seller.tried(2);
  expect(receivedBy('bob@example.com')).toHaveLength(2);
  const messages = receivedBy('bob@example.com').map(({ text }) => headerOf(text, 'Message-ID'));
  expect(messages).toEqual(Array(2).fill(`<${run?.id}@platform.example>`));
  expect(await seller.runs()).toMatchObject([{ id: run?.id, status: 'delivered' }]);
});
