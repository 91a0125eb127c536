import { startReceiver } from '@app/testing/http-receiver';

type Value = { readonly stringValue?: string; readonly intValue?: number | string };
interface KeyValue {
  readonly key: string;
  readonly value: Value;
}

interface ExportedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes?: KeyValue[];
  readonly links?: { readonly traceId: string; readonly spanId: string }[];
  readonly status?: { readonly code?: number };
}

interface Exported {
  readonly resourceSpans: {
    readonly resource: { readonly attributes: KeyValue[] };
    readonly scopeSpans: { readonly spans: ExportedSpan[] }[];
  }[];
}

/** A span as the collector got it; `kind` in OTLP's numbers: 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
export interface CollectedSpan extends Omit<ExportedSpan, 'attributes'> {
  readonly service: string | undefined;
  readonly attributes: Record<string, string | number | undefined>;
}

export interface Collector {
  readonly url: string;
  spans(): CollectedSpan[];
  close(): Promise<void>;
}

/** Stands in for an OpenTelemetry collector: takes OTLP over HTTP and remembers it. */
export async function startCollector(): Promise<Collector> {
  const receiver = await startReceiver({
    respond: () => ({ status: 200, headers: { 'content-type': 'application/json' }, body: '{}' }),
  });
  return {
    url: receiver.url,
    close: () => receiver.close(),
    spans: () => receiver.requests.flatMap((request) => spansOf(JSON.parse(request.body) as Exported)),
  };
}

function spansOf({ resourceSpans }: Exported): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = valuesOf(resource.attributes)['service.name'] as string | undefined;
    const spans = scopeSpans.flatMap((scope) => scope.spans);
    return spans.map((span) => ({ ...span, service, attributes: valuesOf(span.attributes ?? []) }));
  });
}

function valuesOf(attributes: readonly KeyValue[]): Record<string, string | number | undefined> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.intValue === undefined ? value.stringValue : Number(value.intValue),
    ]),
  );
}
