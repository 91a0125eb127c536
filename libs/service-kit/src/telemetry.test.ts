import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createArrivals } from '@app/testing/arrivals';
import { startReceiver } from '@app/testing/http-receiver';
import { SpanKind } from '@opentelemetry/api';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLogger, silentLogger } from './logger.ts';
import { secondsHistogram } from './metrics.ts';
import type { Endpoints } from './otlp-exporters.ts';
import { startTelemetry } from './telemetry.ts';
import { currentTraceparent, inSpan } from './tracing.ts';

// What these tests read.
beforeEach(() => void vi.stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json'));
afterEach(() => void vi.unstubAllEnvs());

interface SentSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  status: { code?: number };
}

interface TraceRequest {
  resourceSpans: Array<{
    resource: { attributes: Array<{ key: string; value: { stringValue: string } }> };
    scopeSpans: Array<{ spans: SentSpan[] }>;
  }>;
}

async function readJson(req: IncomingMessage): Promise<TraceRequest> {
  let text = '';
  for await (const chunk of req) text += String(chunk);
  return JSON.parse(text) as TraceRequest;
}

test('without an endpoint work runs without a span', async () => {
  const telemetry = await startTelemetry({ version: '1', logger: silentLogger() });
  expect(await inSpan('nothing', { service: 'test' }, async (span) => [span, currentTraceparent()])).toEqual([
    undefined,
    undefined,
  ]);
  await telemetry.shutdown();
});

test('spans reach the collector with the service of each, parent and failure; a foreign parent continues its trace', async () => {
  const requests: TraceRequest[] = [];
  const collector = createServer((req, res) => {
    void readJson(req).then((body) => {
      requests.push(body);
      res.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const { port } = collector.address() as AddressInfo;
  const telemetry = await startTelemetry({
    endpoint: `http://127.0.0.1:${port}/`,
    version: '1.2.3',
    shutdownWithinMs: 20_000,
    logger: silentLogger(),
  });
  const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const fault = new Error('declined');
  const failing = inSpan('outer', { service: 'checkout', parent, kind: SpanKind.SERVER }, () =>
    inSpan('inner', { service: 'catalog' }, async () => {
      expect(currentTraceparent()).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01$/);
      throw fault;
    }),
  );
  await expect(failing).rejects.toBe(fault);
  await inSpan('alone', { service: 'checkout', parent: 'not a traceparent' }, async () => {});
  await telemetry.shutdown();
  collector.closeAllConnections();
  await new Promise((resolve) => collector.close(resolve));

  const resource = requests.flatMap((request) => request.resourceSpans)[0]?.resource.attributes ?? [];
  expect(resource.find(({ key }) => key === 'service.version')?.value.stringValue).toBe('1.2.3');
  expect(resource.map(({ key }) => key).filter((key) => key.startsWith('process.'))).toEqual([]);
  const owners = requests.flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ resource, scopeSpans }) => {
      const owner = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue;
      return scopeSpans.flatMap((scope) => scope.spans.map((span) => `${owner}: ${span.name}`));
    }),
  );
  expect(owners.toSorted()).toEqual(['catalog: inner', 'checkout: alone', 'checkout: outer']);
  const spans = requests.flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap((it) => it.scopeSpans.flatMap((scope) => scope.spans)),
  );
  const byName = new Map(spans.map((span) => [span.name, span]));
  expect(byName.get('outer')).toMatchObject({ traceId: parent.slice(3, 35), parentSpanId: parent.slice(36, 52) });
  expect(byName.get('inner')).toMatchObject({ parentSpanId: byName.get('outer')?.spanId, status: { code: 2 } });
  expect(byName.get('alone')?.traceId).not.toBe(parent.slice(3, 35));
  expect(currentTraceparent()).toBeUndefined();
});

test('the end does not wait for a collector that takes the connection and never answers', async () => {
  const open = new Set<Socket>();
  const silent = createServer(() => undefined).on('connection', (socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  const telemetry = await startTelemetry({
    endpoint: `http://127.0.0.1:${port}`,
    version: '1',
    shutdownWithinMs: 200,
    logger: silentLogger(),
  });
  await inSpan('unheard', { service: 'checkout' }, async () => {});
  await telemetry.shutdown();
  // The exporter alone would wait for ten seconds and try again.
  expect(open.size).toBe(1);
  silent.closeAllConnections();
  await new Promise((resolve) => silent.close(resolve));
});

test('traces that are lost are one line, and one more when they arrive again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'telemetry-'));
  const destination = join(folder, 'app.log');
  const logger = createLogger({ level: 'info', destination });
  let status = 400;
  const requests = createArrivals<number>();
  const collector = createServer((req, res) => {
    requests.push(status);
    req.resume().on('end', () => res.writeHead(status, { 'content-type': 'application/json' }).end('{}'));
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const { port } = collector.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${port}`;
  const telemetry = await startTelemetry({ endpoint, version: '1', logger, exportTracesEveryMs: 20 });
  for (const answer of [400, 400, 200]) {
    status = answer;
    const from = requests.list.length;
    await inSpan('some', { service: 'checkout' }, async () => {});
    await requests.wait(1, { from });
  }
  await telemetry.shutdown();
  await new Promise<void>((resolve) => logger.flush(() => resolve()));
  const lines = (await readFile(destination, 'utf8')).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual([
    'traces are lost: the collector does not accept them',
    'the collector accepts traces again',
  ]);
  collector.closeAllConnections();
  await new Promise((resolve) => collector.close(resolve));
  await rm(folder, { recursive: true });
});

interface MetricsRequest {
  resourceMetrics: Array<{
    resource: { attributes: Array<{ key: string; value: { stringValue: string } }> };
    scopeMetrics: Array<{ metrics: Array<{ name: string; unit: string; [kind: string]: unknown }> }>;
  }>;
}

test('figures reach the collector with the service of each and the instance of the process, the last ones at the end', async () => {
  const requests: Array<{ path: string | undefined; body: MetricsRequest }> = [];
  const collector = createServer((req, res) => {
    void readJson(req).then((body) => {
      requests.push({ path: req.url, body: body as unknown as MetricsRequest });
      res.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const { port } = collector.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${port}`;
  const telemetry = await startTelemetry({ endpoint, version: '1', shutdownWithinMs: 20_000, logger: silentLogger() });
  secondsHistogram('checkout', { name: 'work.duration', description: '' })?.(0.2, { kind: 'order' });
  secondsHistogram('catalog', { name: 'work.duration', description: '' })?.(0.3, { kind: 'offer' });
  await telemetry.shutdown();
  collector.closeAllConnections();
  await new Promise((resolve) => collector.close(resolve));

  expect(requests.map(({ path }) => path)).toEqual(['/v1/metrics', '/v1/metrics']);
  const sent = requests.flatMap(({ body }) => body.resourceMetrics);
  const attributesOf = (resource: (typeof sent)[number]['resource']) =>
    Object.fromEntries(resource.attributes.map(({ key, value }) => [key, value.stringValue]));
  const owners = sent.map(({ resource }) => attributesOf(resource));
  expect(owners.map((owner) => owner['service.name']).toSorted()).toEqual(['catalog', 'checkout']);
  expect(new Set(owners.map((owner) => owner['service.instance.id'])).size).toBe(1);
  const checkout = sent.find(({ resource }) => attributesOf(resource)['service.name'] === 'checkout');
  expect(checkout?.scopeMetrics[0]?.metrics).toMatchObject([
    {
      name: 'work.duration',
      unit: 's',
      histogram: {
        // Cumulative.
        aggregationTemporality: 2,
        dataPoints: [{ count: 1, sum: 0.2, attributes: [{ key: 'kind', value: { stringValue: 'order' } }] }],
      },
    },
  ]);
});

/** What a collector gets of one span and one figure of two services, by the path it was sent to. */
async function sentWith(variables: Record<string, string>, endpoints: (url: string) => Endpoints) {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  const collector = await startReceiver({
    respond: () => ({ status: 200, headers: { 'content-type': 'application/json' }, body: '{}' }),
  });
  const telemetry = await startTelemetry({
    ...endpoints(collector.url),
    ...{ version: '1', shutdownWithinMs: 20_000, logger: silentLogger() },
  });
  for (const service of ['checkout', 'catalog']) {
    await inSpan(`work of ${service}`, { service }, async () => {});
    secondsHistogram(service, { name: 'work.duration', description: '' })?.(1, {});
  }
  await telemetry.shutdown();
  await collector.close();
  return (path: string) => collector.requests.filter((request) => request.path === path);
}
const everything = (endpoint: string): Endpoints => ({ endpoint });
const attributesIn = (bodies: readonly { readonly body: string }[]) =>
  bodies.flatMap(({ body }) => {
    const { resourceSpans = [], resourceMetrics = [] } = JSON.parse(body);
    return [...resourceSpans, ...resourceMetrics].map(({ resource }) =>
      Object.fromEntries(resource.attributes.map(({ key, value }: SentAttribute) => [key, value.stringValue])),
    );
  });
interface SentAttribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string };
}

test('the name and the attributes that OTEL_ variables give go with spans and figures, each service an instance of its own', async () => {
  const named = { OTEL_SERVICE_NAME: 'shop', OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=staging' };
  const sent = await sentWith(named, everything);
  const all = [...attributesIn(sent('/v1/traces')), ...attributesIn(sent('/v1/metrics'))];
  expect(all).toHaveLength(4);
  for (const attributes of all)
    expect(attributes).toMatchObject({
      'service.name': 'shop',
      'service.version': '1',
      'deployment.environment.name': 'staging',
    });
  const instances = attributesIn(sent('/v1/metrics')).map((attributes) => attributes['service.instance.id']);
  expect(new Set(instances).size).toBe(2);
});

test('without a name of its own each service has its name', async () => {
  const sent = await sentWith({}, everything);
  const names = attributesIn(sent('/v1/traces')).map((attributes) => attributes['service.name']);
  expect(names.toSorted()).toEqual(['catalog', 'checkout']);
});

test('the sampler, the switches and the protocol of OTEL_ variables hold', async () => {
  const off = await sentWith({ OTEL_TRACES_SAMPLER: 'always_off' }, everything);
  expect([off('/v1/traces').length, off('/v1/metrics').length]).toEqual([0, 2]);
  vi.unstubAllEnvs();
  const none = await sentWith({ OTEL_METRICS_EXPORTER: 'none' }, everything);
  expect([none('/v1/traces').length, none('/v1/metrics').length]).toEqual([1, 0]);
  vi.unstubAllEnvs();
  const usual = await sentWith({}, everything);
  expect(usual('/v1/traces').map(({ headers }) => headers['content-type'])).toEqual(['application/x-protobuf']);
  const disabled = await sentWith({}, (endpoint) => ({ endpoint, isDisabled: true }) as Endpoints);
  expect([disabled('/v1/traces').length, disabled('/v1/metrics').length]).toEqual([0, 0]);
});

test('an endpoint of traces alone, or of metrics alone, gets what it is for', async () => {
  const traces = await sentWith({}, (url) => ({ tracesEndpoint: `${url}/in` }));
  expect([traces('/in').length, traces('/v1/metrics').length]).toEqual([1, 0]);
  const metrics = await sentWith({}, (url) => ({ metricsEndpoint: `${url}/in` }));
  expect(metrics('/in')).toHaveLength(2);
});

test('without an endpoint no SDK is loaded, with the page or without', () => {
  const program = `
    const { registerHooks } = await import('node:module');
    const loaded = [];
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    const { startTelemetry } = await import('${new URL('./telemetry.ts', import.meta.url)}');
    const found = () => loaded.filter((url) => /opentelemetry.(sdk-node|exporter)|grpc-js/.test(url)).length > 0;
    await startTelemetry({ version: '1', metricsPage: true, logger: {} });
    const before = found();
    await startTelemetry({ version: '1', endpoint: 'http://127.0.0.1:1', logger: {} });
    console.log(before, found());
    process.exit();`;
  const out = execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  expect(out.trim()).toBe('false true');
});
