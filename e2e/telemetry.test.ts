import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { durableName, streamName } from '@app/contracts/define';
import { orderPaid } from '@app/contracts/orders';
import { type ServiceName, serviceNames } from '@app/contracts/services';
import { topology } from '@app/contracts/topology';
import { version } from '@app/contracts/version';
import { freePort } from '@app/embedded/ports';
import { consumingBegan, eventsGivenUp, eventsPublished } from '@app/messaging/points';
import { type ReceivedRequest, type Receiver, startReceiver } from '@app/testing/http-receiver';
import { volume } from '@app/testing/long';
import { connectObserver } from '@app/testing/nats';
import { announced, listen } from '@app/testing/points';
import { pollSystem } from '@app/testing/poll-system';
import { lockTable, query } from '@app/testing/sql';
import { timePasses } from '@app/testing/time-passes';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCheckout } from './support/buyer.ts';
import { type Cluster, platformKey, startCluster } from './support/cluster.ts';
import { type CollectedSpan, type Collector, otlpAsJson, startCollector } from './support/collector.ts';
import { copyMadeData } from './support/made-data.ts';
import { type Page, readPage } from './support/metrics-page.ts';
import { addProduct, call, type Seller, signUp } from './support/seller.ts';
import { readCredentials, type Standalone, startStandalone } from './support/standalone.ts';
import { attempted, handledAll } from './support/waits.ts';

/**
 * Guarantee: figures and spans say which service did what, whether services run as processes or in `npm start`; a log that
 * cannot be written stops nothing.
 */
const placed = 'evt.checkout.order.paid.v1';
const placing = 'svc.checkout.orders.place';
/** However often a page is read, its gauges are read once in five seconds. */
const rereadAfterMs = 5_100;

/** Their pages are read at other moments than that of the process with the other services. */
const apart = ['checkout', 'metrics', 'affiliate'] as const;

/** Of the cluster, and of `npm start`. */
let collector: Collector;
let collected: Collector;
let receiver: Receiver;
let cluster: Cluster;
let ports: Map<ServiceName, number>;
let standalone: Standalone;
let directory: string;

beforeAll(async () => {
  collector = await startCollector();
  collected = await startCollector();
  receiver = await startReceiver();
  ports = await freePorts();
  cluster = await startCluster({
    settings: (service) => ({
      ...{ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...otlpAsJson },
      ...{ METRICS_PAGE: 'enabled', HEALTH_PORT: String(ports.get(service)), HEALTH_HOST: '127.0.0.1' },
    }),
    apart,
  });
});

afterAll(async () => {
  await cluster?.close();
  await receiver?.close();
  await standalone?.end('SIGKILL');
  await collector?.close();
  await collected?.close();
  if (directory) await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

/** One for each process. */
async function freePorts(): Promise<Map<ServiceName, number>> {
  const together = await freePort();
  const found = new Map<ServiceName, number>(serviceNames.map((service) => [service, together]));
  for (const service of apart) found.set(service, await freePort());
  return found;
}

const pageOf = (service: ServiceName): Promise<Page> => readPage(ports.get(service) as number);

test('each service shows what it did: requests by route, messages, deliveries by outcome, backlogs and the daily run', async () => {
  const seller = await signUp(cluster.baseUrl);
  const { slug } = await addProduct(seller);
  await seller.call('PUT', '/api/v1/webhook-endpoint', { body: { url: receiver.url } });
  const order = async (productSlug = slug) =>
    (await seller.call('POST', '/api/v1/orders', { body: { productSlug, email: 'a@example.com' } })).status;
  expect([await order(), await order(), await order(), await order('no-such')]).toEqual([200, 200, 200, 422]);
  await attempted(seller.accountId, 3);
  // Attempted again long after this test, which counts one retry.
  receiver.respondWith(() => ({ status: 500, headers: { 'retry-after': '3600' } }));
  expect(await order()).toBe(200);
  await attempted(seller.accountId, 4);
  expect((await call(cluster.baseUrl, 'GET', '/api/v1/orders')).status).toBe(401);

  const page = await pageOf('gateway');
  const route = { http_route: '/api/v1/orders', service_name: 'gateway', url_scheme: 'http' };
  const requests = 'http_server_request_duration_seconds';
  const counted = (http_request_method: string, status: number) =>
    page.value(`${requests}_count`, { ...route, http_request_method, http_response_status_code: `${status}` });
  expect([counted('POST', 200), counted('POST', 422), counted('GET', 401)]).toEqual([4, 1, 1]);
  expect(page.value(`${requests}_bucket`, { ...route, le: '+Inf' })).toBe(6);
  expect(page.value(`${requests}_sum`, route)).toBeGreaterThan(0.001);
  expect(page.value('messaging_client_operation_duration_seconds_count', about(placing))).toBe(5);
  const attempts = (outcome: string) =>
    page.value('webhook_attempt_duration_seconds_count', { webhook_outcome: outcome });
  expect([attempts('delivered'), attempts('retried')]).toEqual([3, 1]);
  expect(page.value('daily_run_age_seconds')).toBeUndefined();

  const headers = { authorization: `Bearer ${platformKey}` };
  expect((await call(cluster.baseUrl, 'POST', '/api/cron/daily', { headers })).status).toBe(200);
  expect((await call(cluster.baseUrl, 'GET', '/metrics', { headers })).status).toBe(404);
  await buyByCard(seller, slug);
  // Soon: half a minute after it was sent, a payment that the processor never got is declined.
  const billing = await pageOf('billing');
  expect(Math.floor((billing.value('daily_run_age_seconds') ?? -1) / 60)).toBe(0);
  expectMoney(billing);
  await expectBacklogs(order);
  const handled = { ...about(placed), messaging_consumer_group_name: 'metrics' };
  const metrics = await pageOf('metrics');
  expect(metrics.value('event_handling_duration_seconds_count', handled)).toBeGreaterThan(0);
  expect(metrics.value('build_info', { version })).toBe(1);
});

/** One card that is charged, and one whose charge gets no answer. */
async function buyByCard(seller: Seller, slug: string): Promise<void> {
  const headers = { cookie: seller.session };
  const chosen = { headers, body: { processor: 'simulated' } };
  expect((await call(cluster.baseUrl, 'PUT', '/api/v1/payment-processor', chosen)).status).toBe(200);
  const { handle } = (await seller.call('GET', '/api/v1/settings')).json;
  for (const [email, paymentMethod, status] of [
    ['card@example.com', 'sim_ok', 'paid'],
    ['silent@example.com', 'sim_timeout_before', 'processing'],
  ] as const) {
    const checkout = await openCheckout(cluster.baseUrl, { handle, slug, email });
    expect((await checkout.call('POST', '/pay', { paymentMethod })).json.status).toBe(status);
  }
}

function expectMoney(billing: Page): void {
  const calls = (outcome: string) =>
    billing.value('payment_processor_call_duration_seconds_count', {
      ...{ payment_processor: 'simulated', payment_operation: 'charge', payment_outcome: outcome },
    });
  expect(calls('succeeded')).toBe(1);
  expect(billing.value('payments_unknown', { payment_processor: 'simulated' })).toBe(1);
  expect(billing.value('payments_unknown_oldest_age_seconds', { payment_processor: 'simulated' })).toBeGreaterThan(0);
  expect(billing.value('holds_overdue')).toBe(0);
}

const about = (messaging_destination_name: string) => ({ messaging_destination_name });

const lagOf = (page: Page, service: ServiceName) =>
  ['nats_consumer_pending', 'nats_consumer_ack_pending'].map((name) =>
    page.value(name, { ...about(placed), messaging_consumer_group_name: service }),
  );
const outboxOf = (page: Page) => [page.value('outbox_events'), page.value('outbox_oldest_event_age_seconds')];

/** Each gauge is read at most twice: full, and five seconds later empty. */
async function expectBacklogs(order: () => Promise<number>): Promise<void> {
  await giveUpAnEvent();
  // The consumer waits for its inbox, so that what it holds stays unacknowledged.
  const unlock = await lockTable(cluster.databaseUrl('metrics'), 'inbox');
  expect([await order(), await order()]).toEqual([200, 200]);
  await untilUnacknowledged('metrics', 2);
  const waiting = await pageOf('metrics');
  expect([lagOf(waiting, 'metrics'), waiting.value('dead_letters')]).toEqual([[0, 2], 1]);
  await unlock();
  await untilUnacknowledged('metrics', 0);

  const { announced: announcedAgain } = listen();
  await cluster.nats.kill();
  await query(
    cluster.databaseUrl('checkout'),
    `insert into outbox (event_id, subject, payload, created_at)
     select event_id || n, subject, payload, now() - interval '10 s' from outbox, generate_series(1, 3) as n
     where id = (select min(id) from outbox)`,
  );
  const full = await pageOf('checkout');
  const [events, ageSeconds] = outboxOf(full);
  expect([events, Math.floor((ageSeconds ?? 0) / 10)]).toEqual([3, 1]);
  expect(full.value('messaging_process_duration_seconds_count', about(placing))).toBe(7);
  expect(full.value('db_client_connection_max')).toBe(10);
  // What no service can answer is not shown, rather than as it was.
  const cutOff = await pageOf('affiliate');
  expect([lagOf(cutOff, 'affiliate'), cutOff.value('dead_letters')]).toEqual([[undefined, undefined], 1]);
  await cluster.nats.start();
  await announcedAgain(eventsPublished, ({ service, events }) => service === 'checkout' && events.length === 3);
  for (const service of ['metrics', 'affiliate'] as const) await untilUnacknowledged(service, 0);

  await timePasses(rereadAfterMs);
  expect(outboxOf(await pageOf('checkout'))).toEqual([0, 0]);
  for (const service of ['metrics', 'affiliate'] as const)
    expect([service, lagOf(await pageOf(service), service)]).toEqual([service, [0, 0]]);
  const others = await pageOf('billing');
  for (const service_name of ['billing', 'webhook-dispatcher'])
    expect([service_name, others.value('dead_letters', { service_name })]).toEqual([service_name, 1]);
}

/** What is no event is a dead letter of each consumer after twelve attempts; eleven are said to have been. */
async function giveUpAnEvent(): Promise<void> {
  const [last] = await query<{ seq: string }>(
    cluster.databaseUrl('checkout'),
    'select max(stream_seq)::text as seq from outbox',
  );
  const consumers = ['metrics', 'billing', 'affiliate', 'webhook-dispatcher'] as const;
  for (const service of consumers) {
    const eventId = `EVT_CHECKOUT-${Number(last?.seq) + 1}`;
    await query(cluster.databaseUrl(service), 'insert into event_attempts (event_id, attempts) values ($1, 11)', [
      eventId,
    ]);
  }
  const observer = await connectObserver(cluster.nats);
  await observer.request(placed, 'no event', { timeout: 20_000 });
  await observer.close();
  for (const service of consumers) await announced(eventsGivenUp, (given) => given.service === service);
}

/** Resolves when the consumer of orders has been delivered all, and so many of them are not acknowledged. */
async function untilUnacknowledged(service: ServiceName, wanted: number): Promise<void> {
  const observer = await connectObserver(cluster.nats);
  const info = `$JS.API.CONSUMER.INFO.${streamName('checkout')}.${durableName(service, orderPaid)}`;
  await pollSystem(`${wanted} unacknowledged orders of ${service}`, async () => {
    const reply = await observer.request(info);
    const { num_pending, num_ack_pending } = reply.json<{ num_pending: number; num_ack_pending: number }>();
    return num_pending === 0 && num_ack_pending === wanted;
  });
  await observer.close();
}

const newTrace = () => {
  const traceId = randomBytes(16).toString('hex');
  return { traceId, headers: { traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01` } };
};

/** An order of it that an affiliate brought concerns every consumer. */
const membership = {
  ...{ name: 'Membership', priceCents: 1_900, currency: 'usd', pricingType: 'subscription', billingInterval: 'month' },
  ...{ status: 'live', accessUrl: 'https://example.com/a' },
};
const affiliate = { code: 'ada', name: 'Ada', email: 'ada@example.com', commissionPercent: 10 };

/** `service: name` of a span and of all above it in its trace, the span first. */
function lineage(spans: readonly CollectedSpan[], span: CollectedSpan): string[] {
  const byId = new Map(spans.map((entry) => [entry.spanId, entry]));
  const line: string[] = [];
  for (let at: CollectedSpan | undefined = span; at !== undefined; at = byId.get(at.parentSpanId ?? '')) {
    line.push(`${at.service}: ${at.name}`);
  }
  return line;
}

/** Processes send theirs when they like. */
const untilSpan = (traceId: string, wanted: { service: string; name: string }): Promise<CollectedSpan> =>
  collector.untilSpan(
    (span) => span.traceId === traceId && span.service === wanted.service && span.name === wanted.name,
  );

test('one order is one trace: HTTP, NATS, statements, publish, consumers and the webhook, each below what caused it', async () => {
  const seller = await signUp(cluster.baseUrl);
  const slug = 'membership';
  expect((await seller.call('POST', '/api/v1/products', { body: { ...membership, slug } })).status).toBe(200);
  expect((await seller.call('POST', '/api/v1/affiliates', { body: affiliate })).status).toBe(200);
  await seller.call('PUT', '/api/v1/webhook-endpoint', { body: { url: receiver.url } });
  const { traceId, headers } = newTrace();
  const body = { productSlug: slug, email: 'a@example.com', affiliateCode: affiliate.code };
  expect((await seller.call('POST', '/api/v1/orders', { body, headers })).status).toBe(200);
  const [delivered] = (await receiver.received(1, ({ headers }) => String(headers.traceparent).includes(traceId))) as [
    ReceivedRequest,
  ];

  const placing = [
    'checkout: create order',
    'checkout: process svc.checkout.orders.place',
    'gateway: request svc.checkout.orders.place',
    'gateway: POST /api/v1/orders',
  ];
  const publishing = [`checkout: publish ${placed}`, ...placing.slice(1)];
  const insert = await collector.untilSpan(isInsertOf(traceId));
  const offers = await untilSpan(traceId, {
    service: 'catalog',
    name: 'process svc.catalog.products.find-for-sale',
  });
  const publish = await untilSpan(traceId, { service: 'checkout', name: `publish ${placed}` });
  // The receiver got the id of its own span.
  const sentAs = String(delivered.headers.traceparent).split('-')[2];
  const webhook = await collector.untilSpan(({ spanId }) => spanId === sentAs);
  // The ends of what the others lie below: a process may send its spans after those that continue them.
  await untilSpan(traceId, { service: 'checkout', name: 'process svc.checkout.orders.place' });
  await untilSpan(traceId, { service: 'gateway', name: 'POST /api/v1/orders' });
  for (const consumer of ['billing', 'affiliate', 'metrics', 'webhook-dispatcher'] as const) {
    const consumed = await untilSpan(traceId, { service: consumer, name: `process ${placed}` });
    expect(lineage(collector.spans(), consumed)).toEqual([`${consumer}: process ${placed}`, ...publishing]);
    const inbox = await collector.untilSpan(
      (span) => span.parentSpanId === consumed.spanId && span.name === 'inbox-insert',
    );
    expect(inbox.service).toBe(consumer);
  }
  const spans = collector.spans();
  expect(lineage(spans, insert).slice(1)).toEqual(placing);
  expect(lineage(spans, offers).slice(1)).toEqual(['checkout: request svc.catalog.products.find-for-sale', ...placing]);
  expect(lineage(spans, publish)).toEqual(publishing);
  expect(lineage(spans, webhook).slice(1)).toEqual([`webhook-dispatcher: process ${placed}`, ...publishing]);
  expectAttributes(spans.filter((span) => span.traceId === traceId));

  const refused = newTrace();
  const wrong = { headers: { ...refused.headers, authorization: 'Bearer wrong' } };
  expect((await call(cluster.baseUrl, 'GET', '/api/v1/orders', wrong)).status).toBe(401);
  const refusal = await untilSpan(refused.traceId, { service: 'gateway', name: 'GET /api/v1/orders' });
  expect(refusal.attributes['http.response.status_code']).toBe(401);
  expect(refusal.status?.code ?? 0).toBe(0);
});

/** The statement that wrote the order. */
const isInsertOf =
  (traceId: string) =>
  (span: CollectedSpan): boolean =>
    span.traceId === traceId &&
    span.service === 'checkout' &&
    /insert into orders/.test(String(span.attributes['db.query.text']));

/** OpenTelemetry's conventions for HTTP, messaging and databases. */
function expectAttributes(spans: readonly CollectedSpan[]): void {
  const one = (service: string, name: string) =>
    spans.find((span) => span.service === service && span.name === name) as CollectedSpan;
  const http = one('gateway', 'POST /api/v1/orders');
  expect(http.kind).toBe(2);
  expect(http.attributes).toMatchObject({
    'http.request.method': 'POST',
    'http.route': '/api/v1/orders',
    'http.response.status_code': 200,
    'url.path': '/api/v1/orders',
    'url.scheme': 'http',
  });
  expect(one('gateway', 'request svc.checkout.orders.place').attributes).toMatchObject({
    'messaging.system': 'nats',
    'messaging.operation.type': 'send',
    'messaging.destination.name': 'svc.checkout.orders.place',
  });
  const publish = one('checkout', `publish ${placed}`);
  expect(publish.kind).toBe(4);
  expect(publish.attributes).toMatchObject({ 'messaging.system': 'nats', 'messaging.operation.type': 'send' });
  const consumed = one('metrics', `process ${placed}`);
  expect(consumed.kind).toBe(5);
  expect(consumed.attributes).toMatchObject({
    'messaging.destination.name': placed,
    'messaging.operation.type': 'process',
    'messaging.message.id': publish.attributes['messaging.message.id'],
    'messaging.consumer.group.name': 'metrics',
  });
  expect(spans.find(isInsertOf(http.traceId))?.attributes['db.system.name']).toBe('postgresql');
}

/** `npm start` with a shop that has one product, for all tests of it. */
let started: ReturnType<typeof startShop> | undefined;
const startOnce = () => (started ??= startShop());

async function startShop() {
  directory = await mkdtemp(join(tmpdir(), 'funnelry-telemetry-'));
  const dataDir = join(directory, 'data');
  await copyMadeData(dataDir);
  if (hasFullDevice) await breakLog(join(dataDir, 'app.log'));
  const port = await freePort();
  const healthPort = await freePort();
  const { announced: announcedByIt } = listen();
  standalone = startStandalone(dataDir, port, {
    ...{ OTEL_EXPORTER_OTLP_ENDPOINT: collected.url, OTEL_METRIC_EXPORT_INTERVAL: '1000', ...otlpAsJson },
    ...{ METRICS_PAGE: 'enabled', HEALTH_PORT: String(healthPort), RATE_LIMIT_PER_MINUTE: '0' },
  });
  await standalone.until(/^ready /);
  // On a busy machine a start goes on without consumers that take long.
  for (const name of serviceNames)
    for (const { subject } of topology[name].consumes)
      await announcedByIt(consumingBegan, (began) => began.service === name && began.subject === subject);
  const { baseUrl, apiKey } = await readCredentials(dataDir);
  const headers = { authorization: `Bearer ${apiKey}` };
  const body = { ...membership, slug: 'membership' };
  const product = await call(baseUrl, 'POST', '/api/v1/products', { body, headers });
  expect(product.status).toBe(200);
  // Without one the affiliate service has nothing to do.
  expect((await call(baseUrl, 'POST', '/api/v1/affiliates', { body: affiliate, headers })).status).toBe(200);
  const orderIds: string[] = [];
  const order = async (email: string, more: Record<string, string> = {}): Promise<number> => {
    const answer = await call(baseUrl, 'POST', '/api/v1/orders', {
      body: { productSlug: body.slug, email, affiliateCode: affiliate.code },
      headers: { ...headers, ...more },
    });
    if (answer.status === 200) orderIds.push(answer.json.orderId);
    return answer.status;
  };
  const counted = async () => (await call(baseUrl, 'GET', `/api/metrics/${product.json.id}`, { headers })).json.summary;
  return { healthPort, order, orderIds, counted };
}

/** Where every write finds no room. */
const fullDevice = '/dev/full';
const hasFullDevice = process.platform === 'linux';
async function breakLog(file: string): Promise<void> {
  await rm(file, { force: true });
  await symlink(fullDevice, file);
}

test('in npm start one page shows every service, and a collector gets the same figures under the name of each', async () => {
  const { healthPort, order } = await startOnce();
  for (const email of ['a@example.com', 'b@example.com']) expect(await order(email)).toBe(200);
  const page = await readPage(healthPort);
  // What the process itself shows, it shows under a name of its own.
  expect(page.labels('service_name')).toEqual(new Set([...serviceNames, 'standalone']));
  const orders = { http_route: '/api/v1/orders', http_request_method: 'POST' };
  expect(page.value('http_server_request_duration_seconds_count', orders)).toBe(2);
  // A check has a second: a machine that does much else is not ready for a moment.
  const isReady = async () => (await fetch(`http://127.0.0.1:${healthPort}/readyz`)).status === 200;
  await pollSystem('every service is ready', isReady);

  const untilFigure = (service: ServiceName, name: string, attributes: Record<string, string>, value: number) =>
    collected.untilFigure(
      (figure) =>
        [figure.service, figure.name, figure.value].join() === [service, name, value].join() &&
        Object.entries(attributes).every(([key, wanted]) => figure.attributes[key] === wanted),
    );
  const posted = { 'http.route': '/api/v1/orders', 'http.request.method': 'POST' };
  await untilFigure('gateway', 'http.server.request.duration', posted, 2);
  await untilFigure('checkout', 'outbox.events', {}, 0);
  await untilFigure('billing', 'nats.consumer.pending', { 'messaging.destination.name': placed }, 0);
  for (const name of serviceNames) await collected.untilFigure(({ service }) => service === name);
  expect(new Set(collected.figures().map(({ service }) => service))).toEqual(new Set(['standalone', ...serviceNames]));
});

// The test after it ends what runs, with 0.
test.runIf(hasFullDevice)('a log that cannot be written stops nothing and is said once', async () => {
  const { order, orderIds, counted } = await startOnce();
  for (let n = 0; n < volume(20, 100); n++) expect(await order('ann@example.com')).toBe(200);
  await standalone.until(/The log .*app\.log cannot be written/);
  await handledAll('metrics', orderPaid, 'orderId', orderIds);
  expect((await counted()).orders).toBe(orderIds.length);
  expect(standalone.output().match(/cannot be written/g)).toHaveLength(1);
});

test('in npm start a span carries the name of its service; orders that share a question and a commit are linked to it', async () => {
  const { order } = await startOnce();
  const traces = Array.from({ length: 40 }, newTrace);
  const statuses = await Promise.all(traces.map(({ headers }, n) => order(`buyer-${n}@example.com`, headers)));
  expect(statuses).toEqual(traces.map(() => 200));
  const spansOf = (service: string, name: string) =>
    Promise.all(
      traces.map(({ traceId }) =>
        collected.untilSpan((span) => span.traceId === traceId && span.service === service && span.name === name),
      ),
    );
  const created = await spansOf('checkout', 'create order');
  await expectLinked(created, 'create orders', 'request svc.catalog.products.find-for-sale');
  await expectLinked(await spansOf('metrics', `process ${placed}`), 'process EVT_CHECKOUT', 'inbox-insert');
  for (const name of serviceNames) await collected.untilSpan(({ service }) => service === name);
  expect(await standalone.end('SIGTERM')).toBe(0);
  expect(new Set(collected.spans().map(({ service }) => service))).toEqual(new Set(serviceNames));
});

/** Every item leads to the shared work, by being it or by a link, and the shared work leads back; the work did `step`. */
async function expectLinked(items: CollectedSpan[], batch: string, step: string): Promise<void> {
  let shared = 0;
  for (const item of items) {
    const linked = new Set(item.links?.map(({ spanId }) => spanId));
    // The shared work may be sent after what it was done for. One that did the step itself is that work.
    const led = await collected.untilSpan(
      ({ name, spanId, parentSpanId }) =>
        (name === batch && linked.has(spanId)) || (name === step && parentSpanId === item.spanId),
    );
    const work = led.name === step ? item : led;
    if (work !== item) {
      shared += 1;
      expect(work.links?.map(({ spanId }) => spanId)).toContain(item.spanId);
    }
    await collected.untilSpan(({ parentSpanId, name }) => parentSpanId === work.spanId && name === step);
  }
  expect(shared).toBeGreaterThan(0);
}
