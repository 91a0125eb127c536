import { type ReceivedRequest, startReceiver } from '@app/testing/http-receiver';

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
  /** Resolves with the first span that matches, as soon as it has come. */
  untilSpan(matches: (span: CollectedSpan) => boolean): Promise<CollectedSpan>;
  /** Resolves when a figure that matches has come. */
  untilFigure(matches: (figure: CollectedFigure) => boolean): Promise<void>;
  close(): Promise<void>;
}

/** What processes that send to the stand-in are started with: it reads JSON. */
export const otlpAsJson = { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' } as const;

/** Stands in for an OpenTelemetry collector: takes OTLP over HTTP and remembers it. */
export async function startCollector(): Promise<Collector> {
  const receiver = await startReceiver({
    respond: () => ({ status: 200, headers: { 'content-type': 'application/json' }, body: '{}' }),
  });
  return {
    url: receiver.url,
    close: () => receiver.close(),
    spans: () => receiver.requests.flatMap(spansIn),
    figures: () => receiver.requests.flatMap(figuresIn),
    untilSpan: async (matches) => {
      const [request] = await receiver.received(1, (sent) => spansIn(sent).some(matches));
      return spansIn(request as ReceivedRequest).find(matches) as CollectedSpan;
    },
    untilFigure: async (matches) => void (await receiver.received(1, (sent) => figuresIn(sent).some(matches))),
  };
}

/** Each body is read once: there are megabytes of them, and each wait goes over all. */
function readOnce<T>(path: string, read: (body: unknown) => T[]): (request: ReceivedRequest) => T[] {
  const known = new WeakMap<ReceivedRequest, T[]>();
  return (request) => {
    const found = known.get(request) ?? (request.path === path ? read(JSON.parse(request.body)) : []);
    known.set(request, found);
    return found;
  };
}

const spansIn = readOnce('/v1/traces', (body) => spansOf(body as Exported));
const figuresIn = readOnce('/v1/metrics', (body) => figuresOf(body as ExportedMetrics));

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
