import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serviceNames } from '@app/contracts/services';
import { freePort } from '@app/embedded/ports';
import { eventually } from '@app/testing/eventually';
import { startReceiver } from '@app/testing/http-receiver';
import { expect, test } from 'vitest';
import { startCluster } from './support/cluster.ts';
import { type CollectedSpan, type Collector, startCollector } from './support/collector.ts';
import { call, signUp } from './support/seller.ts';
import { readCredentials, startStandalone } from './support/standalone.ts';

const newTrace = () => {
  const traceId = randomBytes(16).toString('hex');
  return { traceId, headers: { traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01` } };
};

const placed = 'evt.checkout.order.paid.v1';

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

/** Waits until a span is there, since processes send theirs when they like. */
async function untilSpan(
  collector: Collector,
  traceId: string,
  wanted: { service: string; name: string },
): Promise<CollectedSpan> {
  const find = () =>
    collector
      .spans()
      .find((span) => span.traceId === traceId && span.service === wanted.service && span.name === wanted.name);
  return await eventually(find, { withinMs: 20_000, message: `no span ${wanted.service}: ${wanted.name}` });
}

test('one order is one trace: HTTP, NATS, statements, publish, consumers and the webhook, each below what caused it', async () => {
  const collector = await startCollector();
  const receiver = await startReceiver();
  const cluster = await startCluster({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  try {
    const seller = await signUp(cluster.baseUrl);
    const slug = 'membership';
    expect((await seller.call('POST', '/api/v1/products', { body: { ...membership, slug } })).status).toBe(200);
    expect((await seller.call('POST', '/api/v1/affiliates', { body: affiliate })).status).toBe(200);
    await seller.call('PUT', '/api/v1/webhook-endpoint', { body: { url: receiver.url } });
    const { traceId, headers } = newTrace();
    const body = { productSlug: slug, email: 'a@example.com', affiliateCode: affiliate.code };
    expect((await seller.call('POST', '/api/v1/orders', { body, headers })).status).toBe(200);
    const delivered = await eventually(() => receiver.requests[0]);
    expect(delivered.headers.traceparent).toContain(traceId);

    const placing = [
      'checkout: create order',
      'checkout: process svc.checkout.orders.place',
      'gateway: request svc.checkout.orders.place',
      'gateway: POST /api/v1/orders',
    ];
    const publishing = [`checkout: publish ${placed}`, ...placing.slice(1)];
    const insert = await eventually(() => insertOf(collector.spans(), traceId), { withinMs: 20_000 });
    const offers = await untilSpan(collector, traceId, {
      service: 'catalog',
      name: 'process svc.catalog.offers.resolve',
    });
    const publish = await untilSpan(collector, traceId, { service: 'checkout', name: `publish ${placed}` });
    // The receiver was told which span is its own.
    const sentAs = String(delivered.headers.traceparent).split('-')[2];
    const webhook = await eventually(() => collector.spans().find(({ spanId }) => spanId === sentAs), {
      withinMs: 20_000,
    });
    // The ends of what the others lie below: a process may send its spans after those that continue them.
    await untilSpan(collector, traceId, { service: 'checkout', name: 'process svc.checkout.orders.place' });
    await untilSpan(collector, traceId, { service: 'gateway', name: 'POST /api/v1/orders' });
    for (const consumer of ['billing', 'affiliate', 'metrics', 'webhook-dispatcher'] as const) {
      const consumed = await untilSpan(collector, traceId, { service: consumer, name: `process ${placed}` });
      expect(lineage(collector.spans(), consumed)).toEqual([`${consumer}: process ${placed}`, ...publishing]);
      const inbox = collector
        .spans()
        .find((span) => span.parentSpanId === consumed.spanId && span.name === 'inbox-insert');
      expect(inbox?.service).toBe(consumer);
    }
    const spans = collector.spans();
    expect(lineage(spans, insert).slice(1)).toEqual(placing);
    expect(lineage(spans, offers).slice(1)).toEqual(['checkout: request svc.catalog.offers.resolve', ...placing]);
    expect(lineage(spans, publish)).toEqual(publishing);
    expect(lineage(spans, webhook).slice(1)).toEqual([`webhook-dispatcher: process ${placed}`, ...publishing]);
    expectAttributes(spans.filter((span) => span.traceId === traceId));

    const refused = newTrace();
    const wrong = { headers: { ...refused.headers, authorization: 'Bearer wrong' } };
    expect((await call(cluster.baseUrl, 'GET', '/api/v1/orders', wrong)).status).toBe(401);
    const refusal = await untilSpan(collector, refused.traceId, { service: 'gateway', name: 'GET /api/v1/orders' });
    expect(refusal.attributes['http.response.status_code']).toBe(401);
    expect(refusal.status?.code ?? 0).toBe(0);
  } finally {
    await cluster.close();
    await receiver.close();
    await collector.close();
  }
});

/** The statement that wrote the order. */
function insertOf(spans: readonly CollectedSpan[], traceId: string): CollectedSpan | undefined {
  const writes = (span: CollectedSpan): boolean => /insert into orders/.test(String(span.attributes['db.query.text']));
  return spans.find((span) => span.traceId === traceId && span.service === 'checkout' && writes(span));
}

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
  expect(insertOf(spans, http.traceId)?.attributes['db.system.name']).toBe('postgresql');
}

test('in npm start a span carries the name of its service; orders that share a question and a commit are linked to it', async () => {
  const collector = await startCollector();
  const dataDir = await mkdtemp(join(tmpdir(), 'funnelry-trace-'));
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, RATE_LIMIT_PER_MINUTE: '0' };
  const standalone = startStandalone(dataDir, await freePort(), settings);
  try {
    await standalone.until(/^ready /);
    const { baseUrl, apiKey } = await readCredentials(dataDir);
    const authorization = `Bearer ${apiKey}`;
    const products = (await call(baseUrl, 'GET', '/api/v1/products', { headers: { authorization } })).json.data;
    const { slug } = products.find((product: { status: string }) => product.status === 'live');
    const traces = Array.from({ length: 40 }, newTrace);
    const answers = await Promise.all(
      traces.map(({ headers }, n) =>
        call(baseUrl, 'POST', '/api/v1/orders', {
          body: { productSlug: slug, email: `buyer-${n}@example.com` },
          headers: { authorization, ...headers },
        }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(traces.map(() => 200));
    const traceIds = new Set(traces.map(({ traceId }) => traceId));
    for (const { traceId } of traces) {
      await untilSpan(collector, traceId, { service: 'metrics', name: `process ${placed}` });
      await untilSpan(collector, traceId, { service: 'checkout', name: 'create order' });
    }
    const expectAllLinked = (): true => {
      const spans = collector.spans();
      const ours = (name: string) => spans.filter((span) => span.name === name && traceIds.has(span.traceId));
      expectLinked(spans, ours('create order'), 'create orders', 'request svc.catalog.offers.resolve');
      expectLinked(
        spans,
        ours(`process ${placed}`).filter(({ service }) => service === 'metrics'),
        'process EVT_CHECKOUT',
        'inbox-insert',
      );
      return true;
    };
    // The shared work may be sent after what it was done for.
    await eventually(expectAllLinked, { withinMs: 20_000 });
    expect(await standalone.end('SIGTERM')).toBe(0);
    expect(new Set(collector.spans().map(({ service }) => service))).toEqual(new Set(serviceNames));
  } finally {
    await standalone.end('SIGKILL');
    await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    await collector.close();
  }
});

/** Every item leads to the shared work, by being it or by a link, and the shared work leads back; the work did `step`. */
function expectLinked(spans: readonly CollectedSpan[], items: CollectedSpan[], batch: string, step: string): void {
  expect(items).toHaveLength(40);
  const works = new Map(spans.filter(({ name }) => name === batch).map((span) => [span.spanId, span]));
  const shared = items.filter((item) => item.links?.some(({ spanId }) => works.has(spanId)));
  expect(shared.length).toBeGreaterThan(0);
  for (const item of items) {
    const work = item.links?.map(({ spanId }) => works.get(spanId)).find((found) => found !== undefined) ?? item;
    if (work !== item) expect(work.links?.map(({ spanId }) => spanId)).toContain(item.spanId);
    expect(spans.some((span) => span.parentSpanId === work.spanId && span.name === step)).toBe(true);
  }
}
