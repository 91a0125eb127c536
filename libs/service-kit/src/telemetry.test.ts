import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SpanKind } from '@opentelemetry/api';
import { expect, test } from 'vitest';
import { startTelemetry } from './telemetry.ts';
import { currentTraceparent, inSpan } from './tracing.ts';

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
  const telemetry = await startTelemetry({ version: '1' });
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
