import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServiceName, serviceNames } from '@app/contracts/services';
import { freePort } from '@app/embedded/ports';
import { openLockSession } from '@app/service-kit/lock-session';
import { eventually } from '@app/testing/eventually';
import { startReceiver } from '@app/testing/http-receiver';
import { connectObserver } from '@app/testing/nats';
import { query } from '@app/testing/sql';
import { expect, test } from 'vitest';
import { type Cluster, platformKey, startCluster } from './support/cluster.ts';
import { startCollector } from './support/collector.ts';
import { type Page, readPage } from './support/metrics-page.ts';
import { addProduct, call, signUp } from './support/seller.ts';
import { readCredentials, startStandalone } from './support/standalone.ts';

const placed = 'evt.checkout.order.paid.v1';
const place = 'svc.checkout.orders.place';
/** Gauges are read again after five seconds. */
const soon = { withinMs: 20_000, everyMs: 200 };

async function freePorts(): Promise<Map<ServiceName, number>> {
  const ports = new Map<ServiceName, number>();
  for (const service of serviceNames) ports.set(service, await freePort());
  return ports;
}

/** Waits until a service's page shows what is wanted. */
type Until = (service: ServiceName, shown: (page: Page) => unknown, wanted: unknown) => Promise<void>;

const untilOn =
  (ports: Map<ServiceName, number>): Until =>
  async (service, shown, wanted) => {
    await eventually(async () => {
      expect(shown(await readPage(ports.get(service) as number))).toEqual(wanted);
      return true;
    }, soon);
  };

test('each service shows what it did: requests by route, messages, deliveries by outcome, backlogs and the daily run', async () => {
  const ports = await freePorts();
  const receiver = await startReceiver();
  const cluster = await startCluster((service) => ({
    ...{ METRICS_PAGE: 'enabled', HEALTH_PORT: String(ports.get(service)), HEALTH_HOST: '127.0.0.1' },
  }));
  const until = untilOn(ports);
  try {
    const seller = await signUp(cluster.baseUrl);
    const { slug } = await addProduct(seller);
    await seller.call('PUT', '/api/v1/webhook-endpoint', { body: { url: receiver.url } });
    const order = async (productSlug = slug) =>
      (await seller.call('POST', '/api/v1/orders', { body: { productSlug, email: 'a@example.com' } })).status;
    expect([await order(), await order(), await order(), await order('no-such')]).toEqual([200, 200, 200, 422]);
    const attempts = (outcome: string) => (page: Page) =>
      page.value('webhook_attempt_duration_seconds_count', { webhook_outcome: outcome });
    await until('webhook-dispatcher', attempts('delivered'), 3);
    // Tried again long after this test, which counts one retry.
    receiver.respondWith(() => ({ status: 500, headers: { 'retry-after': '3600' } }));
    expect(await order()).toBe(200);
    expect((await call(cluster.baseUrl, 'GET', '/api/v1/orders')).status).toBe(401);

    const route = { http_route: '/api/v1/orders', service_name: 'gateway', url_scheme: 'http' };
    const requests = 'http_server_request_duration_seconds';
    const counted = (method: string, status: number) => (page: Page) =>
      page.value(`${requests}_count`, {
        ...route,
        http_request_method: method,
        http_response_status_code: `${status}`,
      });
    await until('gateway', counted('POST', 200), 4);
    await until('gateway', counted('POST', 422), 1);
    await until('gateway', counted('GET', 401), 1);
    await until('gateway', (page) => page.value(`${requests}_bucket`, { ...route, le: '+Inf' }), 6);
    await until('gateway', (page) => (page.value(`${requests}_sum`, route) ?? 0) > 0.001, true);
    const asked = { messaging_destination_name: place };
    await until('gateway', (page) => page.value('messaging_client_operation_duration_seconds_count', asked), 5);
    await until('checkout', (page) => page.value('messaging_process_duration_seconds_count', asked), 5);
    await until('webhook-dispatcher', attempts('retried'), 1);
    await until('webhook-dispatcher', attempts('delivered'), 3);
    await until('checkout', (page) => page.value('db_client_connection_max'), 10);
    await expectBacklogs(cluster, until, order);

    await until('billing', (page) => page.value('daily_run_age_seconds'), undefined);
    const headers = { authorization: `Bearer ${platformKey}` };
    expect((await call(cluster.baseUrl, 'POST', '/api/cron/daily', { headers })).status).toBe(200);
    await until('billing', (page) => Math.floor((page.value('daily_run_age_seconds') ?? -1) / 60), 0);
    expect((await call(cluster.baseUrl, 'GET', '/metrics', { headers })).status).toBe(404);
  } finally {
    await cluster.close();
    await receiver.close();
  }
});

async function expectBacklogs(cluster: Cluster, until: Until, order: () => Promise<number>): Promise<void> {
  const ofOrders = { messaging_destination_name: placed, messaging_consumer_group_name: 'metrics' };
  const lag = (page: Page) => [
    page.value('nats_consumer_pending', ofOrders),
    page.value('nats_consumer_ack_pending', ofOrders),
  ];
  const outbox = (page: Page) => [page.value('outbox_events'), page.value('outbox_oldest_event_age_seconds')];
  await until('metrics', lag, [0, 0]);
  await until('checkout', outbox, [0, 0]);

  // The consumer waits for its inbox, so that what it holds stays unacknowledged.
  const lock = await openLockSession({
    connectionString: cluster.databaseUrl('metrics'),
    application_name: 'test-lock',
  });
  await lock.client.query('begin');
  await lock.client.query('lock table inbox in access exclusive mode');
  expect([await order(), await order()]).toEqual([200, 200]);
  await until('metrics', lag, [0, 2]);
  await lock.close();
  await until('metrics', lag, [0, 0]);

  await until('metrics', (page) => page.value('dead_letters'), 0);
  await until('checkout', outbox, [0, 0]);
  const [last] = await query<{ seq: string }>(
    cluster.databaseUrl('checkout'),
    'select max(stream_seq)::text as seq from outbox',
  );
  const consumers = ['metrics', 'billing', 'affiliate', 'webhook-dispatcher'] as const;
  for (const service of consumers) {
    // Eleven tries have failed, which would take six minutes.
    const eventId = `EVT_CHECKOUT-${Number(last?.seq) + 1}`;
    await query(cluster.databaseUrl(service), 'insert into event_tries (event_id, tries) values ($1, 11)', [eventId]);
  }
  const observer = await connectObserver(cluster.nats);
  await observer.request(placed, 'no event', { timeout: 20_000 });
  await observer.close();
  for (const service of consumers) {
    await until(service, (page) => page.value('dead_letters'), 1);
  }

  await cluster.nats.kill();
  await query(
    cluster.databaseUrl('checkout'),
    `insert into outbox (event_id, subject, payload)
     select event_id || n, subject, payload from outbox, generate_series(1, 3) as n where id = (select min(id) from outbox)`,
  );
  await until('checkout', (page) => page.value('outbox_events'), 3);
  await until('checkout', (page) => (page.value('outbox_oldest_event_age_seconds') ?? 0) > 1, true);
  // What nobody can be asked is not shown, rather than as it was.
  await until('metrics', lag, [undefined, undefined]);
  await cluster.nats.start();
  await until('checkout', outbox, [0, 0]);
  await until('metrics', lag, [0, 0]);
}

test('in npm start one page shows every service, and a collector gets the same figures under the name of each', async () => {
  const collector = await startCollector();
  const dataDir = await mkdtemp(join(tmpdir(), 'funnelry-metrics-'));
  const port = await freePort();
  const healthPort = await freePort(port);
  const standalone = startStandalone(dataDir, port, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_METRIC_EXPORT_INTERVAL: '1000',
    METRICS_PAGE: 'enabled',
    HEALTH_PORT: String(healthPort),
  });
  try {
    await standalone.until(/^ready /);
    const { baseUrl, apiKey } = await readCredentials(dataDir);
    const headers = { authorization: `Bearer ${apiKey}` };
    const products = (await call(baseUrl, 'GET', '/api/v1/products', { headers })).json.data;
    const { slug } = products.find((product: { status: string }) => product.status === 'live');
    for (const email of ['a@example.com', 'b@example.com']) {
      const body = { productSlug: slug, email };
      expect((await call(baseUrl, 'POST', '/api/v1/orders', { body, headers })).status).toBe(200);
    }
    const page = await readPage(healthPort);
    expect(page.labels('service_name')).toEqual(new Set(serviceNames));
    const orders = { http_route: '/api/v1/orders', http_request_method: 'POST' };
    expect(page.value('http_server_request_duration_seconds_count', orders)).toBe(2);
    expect((await fetch(`http://127.0.0.1:${healthPort}/readyz`)).status).toBe(200);

    const figure = (service: ServiceName, name: string, about: Record<string, string>) =>
      collector.figures().findLast((it) => {
        const matches = Object.entries(about).every(([key, value]) => it.attributes[key] === value);
        return it.service === service && it.name === name && matches;
      })?.value;
    const posted = { 'http.route': '/api/v1/orders', 'http.request.method': 'POST' };
    await eventually(() => figure('gateway', 'http.server.request.duration', posted) === 2, soon);
    await eventually(() => figure('checkout', 'outbox.events', {}) === 0, soon);
    const lag = { 'messaging.destination.name': placed };
    await eventually(() => figure('billing', 'nats.consumer.pending', lag) === 0, soon);
    expect(await standalone.end('SIGTERM')).toBe(0);
    expect(new Set(collector.figures().map(({ service }) => service))).toEqual(new Set(serviceNames));
  } finally {
    await standalone.end('SIGKILL');
    await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    await collector.close();
  }
});
