import { affiliateCodeUnmatched } from '@app/contracts/affiliates';
import { newId } from '@app/contracts/ids';
import { orderPaid, orderRefunded } from '@app/contracts/orders';
import { getDelivery, listActivity, listDeliveries, listEvents } from '@app/contracts/webhook-deliveries';
import { selfTestWebhook, sendTestWebhook } from '@app/contracts/webhook-tests';
import { deleteWebhookEndpoint } from '@app/contracts/webhooks';
import { expect, test } from 'vitest';
import { changesApplied, handled, stored } from './harness.ts';
import { anOrder } from './orders.ts';
import { endpointId, harness, seller, sellerForEachTest, startService } from './set-up.ts';

startService();
sellerForEachTest();

const deliveries = async (filter: Parameters<typeof harness.request<typeof listDeliveries>>[2] = {}) =>
  await harness.request(listDeliveries, seller.account, filter);
const activity = async (filter: Parameters<typeof harness.request<typeof listActivity>>[2] = {}) =>
  await harness.request(listActivity, seller.account, filter);

/** The only delivery, which has that status. */
async function only(status: string) {
  const { data } = await deliveries();
  expect(data.map((delivery) => delivery.status)).toEqual([status]);
  return data[0] as (typeof data)[number];
}

test('a delivery is shown with its attempts, newest first, their durations, answers and the payload', async () => {
  seller.receiver.respondWith((_, n) =>
    n === 1 ? { status: 301, headers: { location: '/new' }, body: 'x'.repeat(20_000) } : { status: 200, body: 'ok' },
  );
  const orderId = newId('order', harness.clock.nowMs());
  const eventId = await seller.publish({ orderId });
  await seller.tried(1);
  const waiting = await only('pending');
  expect(waiting).toMatchObject({
    ...{ event: 'order.paid', event_id: eventId, order_id: orderId, email: 'ada@example.com', url: seller.url },
    ...{ attempt_count: 1, finished_at: null, next_attempt_at: expect.any(String), test: false },
  });
  expect(waiting.reason).toBe(
    `Attempt 2 follows at ${waiting.next_attempt_at}. The last one failed: The address has moved: the server answered 301 and sent us on to ${new URL('/new', seller.url).href}. Redirects are not followed, because the receiver of a payment notice must be the one you named.`,
  );
  harness.clock.advance(6_001);
  await seller.put({});
  await seller.delivered();
  const delivered = await only('delivered');
  expect(delivered).toMatchObject({ reason: 'Delivered at attempt 2.', next_attempt_at: null });
  expect(delivered.finished_at).not.toBeNull();
  const detail = await harness.request(getDelivery, seller.account, { deliveryId: delivered.id });
  expect(getDelivery.output.parse(detail)).toEqual(detail);
  expect(detail.payload).toMatchObject({ event: 'order.paid', orderId });
  expect(detail.attempts).toMatchObject([
    { number: 2, status_code: 200, diagnosis: null, response: 'ok' },
    { number: 1, status_code: 301, dns_ms: null, tls_ms: null, diagnosis: { code: 'moved' } },
  ]);
  const first = detail.attempts[1];
  expect(first?.connect_ms).toBeGreaterThanOrEqual(0);
  expect(first?.first_byte_ms).toBeGreaterThanOrEqual(0);
  expect(first?.diagnosis?.advice).toBe(`Use this URL for the webhook: ${new URL('/new', seller.url).href}`);
  expect(first?.response).toBe('x'.repeat(8_192));
  const [, failed] = (await activity()).data;
  const { product, totalCents, currency } = detail.payload as Record<string, unknown>;
  expect(failed).toMatchObject({ email: 'ada@example.com', product, amount_cents: totalCents, currency });
  expect([typeof product, typeof totalCents]).toEqual(['string', 'number']);
  expect(failed?.response_excerpt).toBe('x'.repeat(200));
  expect(failed?.summary).toContain('The address has moved');
});

test('a page that answers in place of the code is warned about, though it counts as delivered', async () => {
  const page = '<!doctype html><html><title>Log in</title><input type="password">';
  seller.receiver.respondWith(() => ({ status: 200, headers: { 'content-type': 'text/html' }, body: page }));
  await seller.publish();
  await seller.delivered();
  const { id } = await only('delivered');
  const { attempts } = await harness.request(getDelivery, seller.account, { deliveryId: id });
  expect(attempts).toMatchObject([{ diagnosis: { code: 'login_page' }, response: page }]);
  const [entry] = (await activity()).data;
  expect(entry).toMatchObject({ status: 'delivered', response_excerpt: null, diagnosis: { code: 'login_page' } });
});

test('what is not sent says why: filtered, off, without a URL, removed', async () => {
  await seller.put({ events: ['affiliate.paid'] });
  await stored(await seller.publish());
  expect((await only('filtered')).reason).toBe(
    'Not sent: the endpoint was not set to take order.paid. It can be redelivered all the same.',
  );
  await seller.put({ events: null, active: false });
  await stored(await seller.publish());
  const [held] = (await deliveries({ status: 'held' })).data;
  expect(held?.reason).toMatch(/^Not sent: the endpoint is off.*\. It is held for 30 days\.$/);
  await harness.request(deleteWebhookEndpoint, seller.account, {});
  const [canceled] = (await deliveries({ status: 'canceled' })).data;
  expect(canceled).toMatchObject({ id: held?.id, reason: 'Not sent: the endpoint was removed while this waited.' });
  const stranger = harness.account();
  await stored(await harness.publish(orderPaid, stranger, anOrder(harness.clock.nowMs())));
  const [unconnected] = (await harness.request(listDeliveries, stranger, {})).data;
  expect(unconnected).toMatchObject({
    ...{ status: 'held', url: null, attempt_count: 0 },
    reason: 'Not sent: no URL is connected. It is held for 30 days.',
  });
});

test('attempts and deliveries of an endpoint that was removed stay readable, with the URL they went to', async () => {
  seller.receiver.respondWith(() => ({ status: 500 }));
  await seller.publish();
  await seller.tried(1);
  await only('pending');
  await harness.request(deleteWebhookEndpoint, seller.account, {});
  await changesApplied(endpointId);
  const canceled = await only('canceled');
  expect(canceled).toMatchObject({ url: seller.url, attempt_count: 1 });
  harness.clock.advance(300 * 86_400_000);
  expect((await deliveries()).data).toEqual([canceled]);
  const ofEndpoint = { endpointId: canceled.endpoint_id };
  expect((await activity({ ...ofEndpoint, status: 'failed' })).data).toMatchObject([
    { kind: 'webhook_attempt', delivery_id: canceled.id },
  ]);
  expect((await activity({ ...ofEndpoint, status: 'notice' })).data).toMatchObject([
    { url: seller.url, summary: expect.stringContaining('removed') },
  ]);
  harness.clock.advance(-300 * 86_400_000);
});

test.each([
  ['Özlem@example.com', 'özlem@example.com'],
  ['eva@münchen.example', 'EVA@xn--mnchen-3ya.example'],
])('what concerns %s is found by %s, and shown as the buyer typed it', async (typed, asked) => {
  await seller.publish({ customerEmail: typed });
  await seller.tried(1);
  expect((await deliveries({ email: asked })).data).toMatchObject([{ email: typed }]);
  expect((await activity({ email: asked })).data).toHaveLength(1);
  expect((await deliveries({ email: `x${asked}` })).data).toEqual([]);
});

test('each filter finds what it names, alone and with the others, and pages through it without a gap or a repeat', async () => {
  const orders = [newId('order', harness.clock.nowMs()), newId('order', harness.clock.nowMs())] as const;
  seller.receiver.respondWith((request) => ({ status: /bob@/i.test(request.body) ? 500 : 200 }));
  const eventIds: string[] = [];
  for (let n = 0; n < 4; n += 1) {
    harness.clock.advance(1_000);
    // Buyers write their addresses as they like.
    const email = ['ada@example.com', 'bob@example.com', 'ada@example.com', 'BoB@example.com'][n] as string;
    eventIds.push(await seller.publish({ orderId: orders[n % 2] as string, customerEmail: email }));
    await seller.tried(n + 1);
    expect((await deliveries()).data).toHaveLength(n + 1);
  }
  const from = new Date(harness.clock.nowMs() - 1_500).toISOString();
  const unmatched = { orderId: orders[0], code: 'UNKNOWN', test: false };
  await handled(await harness.publish(affiliateCodeUnmatched, seller.account, unmatched));
  expect((await activity()).data).toHaveLength(5);
  const all = (await deliveries()).data;
  expect(all.map((delivery) => delivery.event_id)).toEqual(eventIds.toReversed());
  const [endpointId] = all.map((delivery) => delivery.endpoint_id);
  const ofBob = all
    .filter((delivery) => delivery.email?.toLowerCase() === 'bob@example.com')
    .map((delivery) => delivery.id);
  const ids = async (filter: Parameters<typeof deliveries>[0]) => (await deliveries(filter)).data.map(({ id }) => id);
  expect(ofBob).toHaveLength(2);
  for (const filter of [
    { email: 'bob@example.com' },
    { email: 'BOB@example.com' },
    { orderId: orders[1] },
    { status: 'pending' },
    { status: 'pending', endpointId },
    { status: 'pending', event: 'order.paid' },
    { status: 'pending', event: 'order.paid', endpointId },
    { email: 'bob@example.com', orderId: orders[1], endpointId, status: 'pending', event: 'order.paid' },
  ] as const)
    expect([filter, await ids(filter)]).toEqual([filter, ofBob]);
  for (const filter of [
    { email: 'eve@example.com' },
    { email: 'bob@example.com', orderId: orders[0] },
    { status: 'held' },
    { event: 'affiliate.paid' },
    { event: 'affiliate.paid', endpointId },
    { event: 'order.paid', endpointId: newId('webhookEndpoint', harness.clock.nowMs()) },
    { event: 'affiliate.paid', email: 'bob@example.com' },
    { endpointId: newId('webhookEndpoint', harness.clock.nowMs()) },
    { to: new Date(harness.clock.nowMs() - 86_400_000).toISOString() },
  ] as const)
    expect([filter, await ids(filter)]).toEqual([filter, []]);
  expect(await ids({ eventId: eventIds[2] as string })).toEqual([all[1]?.id]);
  expect(await ids({ from })).toEqual([all[0]?.id, all[1]?.id]);
  expect(await ids({ to: from, email: 'ada@example.com' })).toEqual([all[3]?.id]);
  const filters = [
    {},
    { endpointId },
    { endpointId, event: 'order.paid' },
    { event: 'order.paid' },
    { status: 'pending' },
    { email: 'bob@example.com' },
  ];
  for (const filter of filters as Parameters<typeof deliveries>[0][]) {
    const whole = await ids(filter);
    const paged: string[] = [];
    for (let more = true; more; ) {
      const page = await deliveries({
        ...filter,
        limit: 1,
        ...(paged.length > 0 && { before: paged.at(-1) as string }),
      });
      paged.push(...page.data.map(({ id }) => id));
      more = page.has_more === true;
    }
    expect(paged).toEqual(whole);
  }
  await expect(deliveries({ before: newId('delivery', harness.clock.nowMs()) })).rejects.toMatchObject({
    errors: [{ field: 'before' }],
  });
});

test('Recent activity takes the same filters, and a notice is found by its order', async () => {
  seller.receiver.respondWith((request) => ({ status: request.body.includes('bob@') ? 500 : 200 }));
  const orderId = newId('order', harness.clock.nowMs());
  const eventId = await seller.publish({ orderId, customerEmail: 'bob@example.com' });
  await seller.publish();
  await handled(
    await harness.publish(affiliateCodeUnmatched, seller.account, { orderId, code: 'UNKNOWN', test: false }),
  );
  await seller.tried(2);
  expect((await activity()).data).toHaveLength(3);
  const all = (await activity()).data;
  const kinds = async (filter: Parameters<typeof activity>[0]) =>
    (await activity(filter)).data.map(({ kind, status }) => `${kind} ${status}`);
  const endpointId = all.find((entry) => entry.endpoint_id !== null)?.endpoint_id as string;
  const failed = ['webhook_attempt failed'];
  expect((await kinds({ orderId })).sort()).toEqual(['notice notice', ...failed]);
  for (const filter of [
    { status: 'failed' },
    { eventId },
    { email: 'bob@example.com' },
    { orderId, status: 'failed' },
    { orderId, endpointId },
    { status: 'failed', endpointId, event: 'order.paid' },
    { email: 'bob@example.com', endpointId, status: 'failed' },
  ] as const)
    expect([filter, await kinds(filter)]).toEqual([filter, failed]);
  expect(await kinds({ status: 'notice' })).toEqual(['notice notice']);
  expect(await kinds({ status: 'delivered', event: 'order.paid' })).toEqual(['webhook_attempt delivered']);
  expect((await kinds({ endpointId })).sort()).toEqual(['webhook_attempt delivered', ...failed]);
  expect(await kinds({ email: 'bob@example.com', status: 'delivered' })).toEqual([]);
  expect(await kinds({ to: new Date(harness.clock.nowMs() - 1_000).toISOString() })).toEqual([]);
  const paged: string[] = [];
  for (const _ of all) {
    const before = paged.at(-1);
    const page = await activity({ limit: 1, ...(before !== undefined && { before }) });
    paged.push(...page.data.map(({ id }) => id));
  }
  expect(paged).toEqual(all.map(({ id }) => id));
});

test('a time that ends before it begins is refused, in both lists', async () => {
  const from = harness.clock.now().toISOString();
  const to = new Date(harness.clock.nowMs() - 1).toISOString();
  const refused = { code: 'validation_failed', message: expect.stringContaining('to must not be before from') };
  await expect(deliveries({ from, to })).rejects.toMatchObject(refused);
  await expect(activity({ from, to })).rejects.toMatchObject(refused);
  expect([(await deliveries({ from, to: from })).data, (await activity({ from, to: from })).data]).toEqual([[], []]);
});

test('the log has every event once, in the order of its numbers, and goes on after any of them', async () => {
  await seller.put({ events: ['affiliate.paid'] });
  const orderId = newId('order', harness.clock.nowMs());
  const first = await seller.publish({ orderId });
  await stored(first);
  expect((await deliveries()).data).toHaveLength(1);
  const second = await harness.publish(orderRefunded, seller.account, {
    ...{ orderId, productId: 'prd_1', productName: 'P', pricingType: 'onetime', source: 'api', test: true },
    ...{ customerEmail: 'ada@example.com', currency: 'eur', totalCents: 4_900, refundedCents: 4_900, refundNo: 1 },
    ...{ paidAt: '2026-01-15T12:00:00.000Z', refundedAt: '2026-01-16T12:00:00.000Z' },
    counted: { orders: 1, cents: 4_900 },
  });
  const log = (input: object) => harness.request(listEvents, seller.account, input);
  await stored(second);
  const { data, has_more: more } = await log({});
  expect(listEvents.output.parse({ data, has_more: more })).toEqual({ data, has_more: false });
  expect(data).toMatchObject([
    { id: first, sequence: 1, event: 'order.paid', test: false, payload: { event: 'order.paid', orderId } },
    { id: second, sequence: 2, event: 'order.refunded', test: true },
  ]);
  expect(await log({ after: first, limit: 1 })).toEqual({ data: [data[1]], has_more: false });
  expect(await log({ after: second })).toEqual({ data: [], has_more: false });
  expect(await log({ limit: 1 })).toEqual({ data: [data[0]], has_more: true });
  const unknown = { errors: [{ field: 'after' }] };
  await expect(log({ after: newId('event', harness.clock.nowMs()) })).rejects.toMatchObject(unknown);
  const body = { event: 'order.paid' as const };
  const { event_id: after } = await harness.request(sendTestWebhook, seller.account, { endpointId, body });
  await expect(log({ after })).rejects.toMatchObject({
    errors: [{ field: 'after', message: expect.stringContaining('test send') }],
  });
  await harness.request(selfTestWebhook, seller.account, { endpointId });
  const copied = seller.received().at(-1) as string;
  await expect(log({ after: copied })).rejects.toMatchObject({
    errors: [{ field: 'after', message: expect.stringContaining('self-test') }],
  });
  await expect(harness.request(listEvents, harness.account(), { after: first })).rejects.toMatchObject(unknown);
  await harness.query('delete from event_bodies where event_id = $1', [first]);
  expect((await log({ limit: 1 })).data).toMatchObject([{ id: first, payload: null }]);
});

test('a receiver that keeps the id that it read here last misses nothing, in whatever order webhooks reach it', async () => {
  let broken = '';
  seller.receiver.respondWith(({ headers }) => ({ status: headers['webhook-id'] === broken ? 500 : 200 }));
  const log = async (input: object) =>
    (await harness.request(listEvents, seller.account, input)).data.map((event) => event.id);
  const known = await seller.publish();
  await seller.delivered();
  await only('delivered');
  const [cursor] = await log({});
  broken = newId('event', harness.clock.nowMs());
  const order = anOrder(harness.clock.nowMs());
  await harness.publish(orderPaid, seller.account, order, undefined, broken);
  const after = { after: cursor as string };
  await stored(broken);
  expect(await log(after)).toEqual([broken]);
  const received = await seller.publish();
  await stored(received);
  expect(await log(after)).toEqual([broken, received]);
  await seller.tried(3);
  expect((await deliveries()).data.map(({ event_id: id, status }) => [id, status])).toEqual([
    [received, 'delivered'],
    [broken, 'pending'],
    [known, 'delivered'],
  ]);
  // The id that a webhook brought last is none to go on from: another may have failed before it.
  expect(await log({ after: received })).toEqual([]);
});
