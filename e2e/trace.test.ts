import { randomBytes } from 'node:crypto';
import { eventually } from '@app/testing/eventually';
import { startReceiver } from '@app/testing/http-receiver';
import { expect, test } from 'vitest';
import { startCluster } from './support/cluster.ts';
import { addProduct, signUp } from './support/seller.ts';

interface Exported {
  readonly resourceSpans: {
    readonly resource: {
      readonly attributes: { readonly key: string; readonly value: { readonly stringValue: string } }[];
    };
    readonly scopeSpans: { readonly spans: { readonly traceId: string; readonly name: string }[] }[];
  }[];
}

/** `service: span` of every span of one trace. */
function spansOf(traceId: string, bodies: readonly string[]): string[] {
  return bodies.flatMap((body) =>
    (JSON.parse(body) as Exported).resourceSpans.flatMap(({ resource, scopeSpans }) => {
      const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue;
      const spans = scopeSpans.flatMap((scope) => scope.spans).filter((span) => span.traceId === traceId);
      return spans.map((span) => `${service}: ${span.name}`);
    }),
  );
}

test('one order is one trace, from the HTTP request through NATS, outbox and consumers to the webhook', async () => {
  const collector = await startReceiver({
    respond: () => ({ status: 200, headers: { 'content-type': 'application/json' }, body: '{}' }),
  });
  const receiver = await startReceiver();
  const cluster = await startCluster({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '200' });
  try {
    const seller = await signUp(cluster.baseUrl);
    const { slug } = await addProduct(seller);
    await seller.call('PUT', '/api/v1/webhook-endpoint', { body: { url: receiver.url } });
    const traceId = randomBytes(16).toString('hex');
    const headers = { traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01` };
    const placed = await seller.call('POST', '/api/v1/orders', {
      body: { productSlug: slug, email: 'a@example.com' },
      headers,
    });
    expect(placed.status).toBe(200);
    const delivered = await eventually(() => receiver.requests[0]);
    expect(delivered.headers.traceparent).toContain(traceId);
    const expected = [
      'gateway: POST /api/v1/orders',
      'gateway: request svc.checkout.orders.place',
      'checkout: process svc.checkout.orders.place',
      'metrics: consume checkout',
      'webhook-dispatcher: consume checkout',
      'webhook-dispatcher: send webhook',
    ];
    await eventually(
      () => {
        const seen = spansOf(
          traceId,
          collector.requests.map((request) => request.body),
        );
        expect(seen).toEqual(expect.arrayContaining(expected));
        return true;
      },
      { withinMs: 20_000 },
    );
  } finally {
    await cluster.close();
    await receiver.close();
    await collector.close();
  }
});
