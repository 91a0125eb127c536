import { type Receiver, startReceiver } from '@app/testing/http-receiver';

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

/** A figure as the collector got it last, of the service that sent it. */
export interface CollectedFigure {
  readonly service: string | undefined;
  readonly name: string;
  readonly attributes: Record<string, string | number | undefined>;
  /** How many were recorded, for a histogram; else the value. */
  readonly value: number;
}

interface ExportedPoint {
  readonly attributes: KeyValue[];
  readonly count?: number;
  readonly asDouble?: number;
  readonly asInt?: number;
}

interface ExportedMetric {
  readonly name: string;
  readonly histogram?: { readonly dataPoints: ExportedPoint[] };
  readonly gauge?: { readonly dataPoints: ExportedPoint[] };
  readonly sum?: { readonly dataPoints: ExportedPoint[] };
}

interface ExportedMetrics {
  readonly resourceMetrics: {
    readonly resource: { readonly attributes: KeyValue[] };
    readonly scopeMetrics: { readonly metrics: ExportedMetric[] }[];
  }[];
}

export interface Collector {
  readonly url: string;
  spans(): CollectedSpan[];
  /** In the order they came; cumulative, so the last one of a series counts. */
  figures(): CollectedFigure[];
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
    spans: readEachOnce(receiver, '/v1/traces', (body) => spansOf(body as Exported)),
    figures: readEachOnce(receiver, '/v1/metrics', (body) => figuresOf(body as ExportedMetrics)),
  };
}

/** Whoever waits for a span asks again and again; reading megabytes anew each time takes the machine from who sends them. */
function readEachOnce<T>({ requests }: Receiver, path: string, read: (body: unknown) => T[]): () => T[] {
  const all: T[] = [];
  let seen = 0;
  return () => {
    for (; seen < requests.length; seen += 1) {
      const request = requests[seen];
      if (request?.path === path) all.push(...read(JSON.parse(request.body)));
    }
    return all;
  };
}

function figuresOf({ resourceMetrics }: ExportedMetrics): CollectedFigure[] {
  return resourceMetrics.flatMap(({ resource, scopeMetrics }) => {
    const service = valuesOf(resource.attributes)['service.name'] as string | undefined;
    const metrics = scopeMetrics.flatMap((scope) => scope.metrics);
    return metrics.flatMap(({ name, histogram, gauge, sum }) =>
      ((histogram ?? gauge ?? sum)?.dataPoints ?? []).map((point) => ({
        ...{ service, name, attributes: valuesOf(point.attributes) },
        value: point.count ?? point.asDouble ?? point.asInt ?? Number.NaN,
      })),
    );
  });
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
