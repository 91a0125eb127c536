import { randomUUID } from 'node:crypto';
import type { Meter } from '@opentelemetry/api';
import {
  detectResources,
  emptyResource,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  AggregationTemporality,
  InstrumentType,
  MeterProvider,
  MetricReader,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
} from '@opentelemetry/sdk-metrics';
import { watchExports } from './export-watch.ts';
import type { Logger } from './logger.ts';
import { setMetrics } from './metrics.ts';
import { metricsPageOf } from './metrics-page.ts';

export interface MetricsOptions {
  readonly version: string;
  /** Where figures are sent; left out, they are sent nowhere. */
  readonly url?: string | undefined;
  readonly exportEveryMs: number;
  /** Whether a client may request the page. */
  readonly page: boolean;
  readonly logger: Logger;
}

/** How long one collecting may take: of queries to the database and NATS. */
const collectWithinMs = 5_000;

interface Provider {
  readonly provider: MeterProvider;
  readonly meter: Meter;
  readonly pageReader: PageReader | undefined;
}

/** By the SDK's own choice a gauge that can no longer be read would keep its last value for ever. */
const temporalityOf = (type: InstrumentType): AggregationTemporality =>
  type === InstrumentType.OBSERVABLE_GAUGE ? AggregationTemporality.DELTA : AggregationTemporality.CUMULATIVE;

/** Collects on request, for the page. */
class PageReader extends MetricReader {
  constructor() {
    super({ aggregationTemporalitySelector: temporalityOf });
  }

  protected override async onShutdown(): Promise<void> {}

  protected override async onForceFlush(): Promise<void> {}
}

/**
 * Lets figures be recorded, sends them where an endpoint is set, and shows them on the page. Each service of a process
 * has a provider of its own, for its name; what is sent has the name and the attributes that `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES`
 * say. The instance is random: two that sent their counters under one name would overwrite each other's.
 */
export async function startMetrics(options: MetricsOptions): Promise<{ shutdown(): Promise<void> }> {
  const { version, exportEveryMs, url } = options;
  const exporter = url === undefined ? undefined : await exporterTo(url, options);
  const given = detectResources({ detectors: [envDetector] });
  const instance = randomUUID();
  const resourceOf = (service: string): Resource => {
    // Under one name for all, services of a process are told apart by their instance.
    const id = given.attributes['service.name'] === undefined ? instance : randomUUID();
    const own = { 'service.name': service, 'service.version': version, 'service.instance.id': id };
    return resourceFromAttributes(own).merge(given);
  };
  const providers = new Map<string, Provider>();
  const makeProvider = (service: string): Provider => {
    const pageReader = options.page ? new PageReader() : undefined;
    const sending = {
      exportIntervalMillis: exportEveryMs,
      exportTimeoutMillis: Math.min(collectWithinMs, exportEveryMs),
    };
    const readers = exporter === undefined ? [] : [new PeriodicExportingMetricReader({ exporter, ...sending })];
    const resource = exporter === undefined ? emptyResource() : resourceOf(service);
    const provider = new MeterProvider({
      resource,
      readers: pageReader === undefined ? readers : [pageReader, ...readers],
    });
    const made = { provider, meter: provider.getMeter('app', version), pageReader };
    providers.set(service, made);
    return made;
  };
  setMetrics({
    meterOf: (service) => (providers.get(service) ?? makeProvider(service)).meter,
    page: async () => {
      const collected = await Promise.all(
        [...providers].map(async ([service, { pageReader }]) => {
          const read = await pageReader?.collect({ timeoutMillis: collectWithinMs });
          return { service, scopeMetrics: read?.resourceMetrics.scopeMetrics ?? [] };
        }),
      );
      return metricsPageOf(collected);
    },
  });
  return {
    shutdown: async () => {
      setMetrics(undefined);
      await Promise.all([...providers.values()].map(({ provider }) => provider.shutdown()));
    },
  };
}

/** One for all services of the process: what their readers do at their end does not end it for the others. */
async function exporterTo(url: string, { logger }: MetricsOptions): Promise<PushMetricExporter> {
  const { metricExporterTo } = await import('./otlp-exporters.ts');
  const watched = watchExports(await metricExporterTo(url), () => 1, {
    lost: (reason) => logger.warn({ url, reason }, 'metrics are lost: the collector does not accept them'),
    restored: (exports) => logger.warn({ url, lost: exports }, 'the collector accepts metrics again'),
  });
  return { ...watched, shutdown: async () => undefined, selectAggregationTemporality: temporalityOf };
}
