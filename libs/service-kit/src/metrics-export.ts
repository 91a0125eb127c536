import { randomUUID } from 'node:crypto';
import type { Meter } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
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
  /** Where figures are sent, without a slash at its end; left out, they are sent nowhere. */
  readonly endpoint?: string | undefined;
  readonly exportEveryMs: number;
  /** Whether a client may request the page. */
  readonly page: boolean;
  /** How long one export may take, and one collecting. */
  readonly limitMs: number;
  readonly logger: Logger;
}

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
 * has a provider of its own, for its name. Its instance is random: two replicas that sent their counters under one name
 * would overwrite each other's.
 */
export function startMetrics(options: MetricsOptions): { shutdown(): Promise<void> } {
  const { version, exportEveryMs, limitMs } = options;
  const exporter = options.endpoint === undefined ? undefined : exporterTo(`${options.endpoint}/v1/metrics`, options);
  const instance = randomUUID();
  const providers = new Map<string, Provider>();
  const makeProvider = (service: string): Provider => {
    const pageReader = options.page ? new PageReader() : undefined;
    const sending = { exportIntervalMillis: exportEveryMs, exportTimeoutMillis: Math.min(limitMs, exportEveryMs) };
    const readers = exporter === undefined ? [] : [new PeriodicExportingMetricReader({ exporter, ...sending })];
    const attributes = { 'service.name': service, 'service.version': version, 'service.instance.id': instance };
    const resource = resourceFromAttributes(attributes);
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
      const all = [...providers.values()];
      const collected = await Promise.all(
        all.flatMap(({ pageReader }) => pageReader?.collect({ timeoutMillis: limitMs }) ?? []),
      );
      return metricsPageOf(collected.map(({ resourceMetrics }) => resourceMetrics));
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
function exporterTo(url: string, { limitMs, logger }: MetricsOptions): PushMetricExporter {
  const watched = watchExports(new OTLPMetricExporter({ url, timeoutMillis: limitMs }), () => 1, {
    lost: (reason) => logger.warn({ url, reason }, 'metrics are lost: the collector does not accept them'),
    restored: (exports) => logger.warn({ url, lost: exports }, 'the collector accepts metrics again'),
  });
  return { ...watched, shutdown: async () => undefined, selectAggregationTemporality: temporalityOf };
}
