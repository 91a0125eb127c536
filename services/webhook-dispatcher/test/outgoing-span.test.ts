import { orderPaid } from '@app/contracts/orders';
import { putWebhookEndpoint } from '@app/contracts/webhooks';
import { silentLogger } from '@app/service-kit/logger';
import { startTelemetry, type Telemetry } from '@app/service-kit/telemetry';
import { type ReceivedRequest, type Receiver, startReceiver } from '@app/testing/http-receiver';
import { guardLeaks } from '@app/testing/leak-guard';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Harness, startHarness } from './harness.ts';
import { anOrder, connectedAccount } from './orders.ts';
import { shortenAttempts } from './set-up.ts';

guardLeaks();
let harness: Harness;
let collector: Receiver;
let telemetry: Telemetry;
beforeAll(async () => {
  vi.stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json');
  collector = await startReceiver({
    respond: () => ({ status: 200, headers: { 'content-type': 'application/json' }, body: '{}' }),
  });
  telemetry = await startTelemetry({ version: '1', endpoint: collector.url, logger: silentLogger() });
  harness = await startHarness();
});
afterAll(async () => {
  await harness.close();
  await telemetry.shutdown();
  vi.unstubAllEnvs();
  await collector.close();
});

interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly status: { readonly code?: number };
  readonly attributes: { readonly key: string; readonly value: { stringValue?: string; intValue?: number } }[];
}

const spansOf = ({ path, body }: ReceivedRequest): SentSpan[] =>
  (path === '/v1/traces' ? JSON.parse(body).resourceSpans : [])
    .flatMap(({ scopeSpans }: { scopeSpans: object[] }) => scopeSpans)
    .flatMap(({ spans }: { spans: SentSpan[] }) => spans);

/** The span that matches, once the collector has it. */
async function sentSpan(matches: (span: SentSpan) => boolean): Promise<SentSpan> {
  const [request] = await collector.received(1, (request) => spansOf(request).some(matches));
  return spansOf(request as ReceivedRequest).find(matches) as SentSpan;
}

/** The span of the one attempt in this trace. */
const webhookSpan = (traceId: string) => sentSpan((span) => span.traceId === traceId && span.name === 'send webhook');

const attributesOf = (span: SentSpan) =>
  Object.fromEntries(span.attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));

const [ok, error, client] = [0, 2, 3];
let made = 0;
/** Publishes one order in a trace of its own. */
async function publishTraced(account: string): Promise<{ traceId: string; parentId: string }> {
  made += 1;
  const [traceId, parentId] = [String(made).padStart(32, '0'), String(made).padStart(16, '0')];
  await harness.publish(orderPaid, account, anOrder(harness.clock.nowMs()), `00-${traceId}-${parentId}-01`);
  return { traceId, parentId };
}

test('a delivered webhook is a client span in the trace of its event, with HTTP attributes and without the query', async () => {
  const seller = await connectedAccount(harness);
  const { traceId, parentId } = await publishTraced(seller.account);
  const span = await webhookSpan(traceId);
  expect(span.kind).toBe(client);
  // The consumer's span is between the two.
  const consumed = await sentSpan(({ spanId }) => spanId === span.parentSpanId);
  expect(consumed).toMatchObject({ traceId, parentSpanId: parentId });
  expect(span.status.code ?? ok).toBe(ok);
  expect(attributesOf(span)).toMatchObject({
    'http.request.method': 'POST',
    'http.response.status_code': 200,
    'server.address': '127.0.0.1',
    'server.port': Number(new URL(seller.url).port),
    'url.full': seller.url.replace(/\?.*/, ''),
  });
  expect(seller.receiver.requests[0]?.headers.traceparent).toBe(`00-${traceId}-${span.spanId}-01`);
});

test('a response other than 2xx is an error', async () => {
  const seller = await connectedAccount(harness);
  seller.receiver.respondWith(() => ({ status: 302, headers: { location: seller.url } }));
  const span = await webhookSpan((await publishTraced(seller.account)).traceId);
  expect(span.status.code).toBe(error);
  expect(attributesOf(span)).toMatchObject({ 'http.response.status_code': 302, 'error.type': '302' });
});

test('a late response is an error', async () => {
  await shortenAttempts(harness);
  const seller = await connectedAccount(harness);
  seller.receiver.respondWith(() => ({ status: 200, delayMs: 60_000 }));
  const span = await webhookSpan((await publishTraced(seller.account)).traceId);
  expect(span.status.code).toBe(error);
  expect(attributesOf(span)).toMatchObject({ 'error.type': 'ATTEMPT_TIMEOUT' });
});

test('an address that is not public, and a refused connection, are errors', async () => {
  const check = async (url: string, type: string): Promise<void> => {
    const account = harness.account();
    await harness.request(putWebhookEndpoint, account, { body: { url: 'https://example.com/' } });
    await harness.query('update endpoints set url = $2 where account_id = $1', [account, url]);
    const span = await webhookSpan((await publishTraced(account)).traceId);
    expect(span.status.code).toBe(error);
    expect(attributesOf(span)).toMatchObject({ 'error.type': type });
  };
  await Promise.all([check('http://10.0.0.1/', 'ADDRESS_REFUSED'), check('http://127.0.0.1:2/', 'ECONNREFUSED')]);
});
