import { ConfigError } from './config.ts';
import { watchExports } from './export-watch.ts';
import type { Logger } from './logger.ts';
import { setTracing } from './tracing.ts';
import { within } from './within.ts';

export interface Telemetry {
  shutdown(): Promise<void>;
}

/** What a collector that is away may cost: 16,384 spans of about 1 KB, a few seconds of a busy process. Later ones are dropped. */
const waitingMax = 16_384;
/** A collector on the same network answers within milliseconds. One that does not, costs no more than this at the end. */
const usualShutdownWithinMs = 1_000;
const exportTimeoutMs = 5_000;
/** A batch of a consumer holds up to 250 events, each of which is linked to its work. */
const linksMax = 256;

export interface TelemetryOptions {
  readonly version: string;
  readonly endpoint?: string | undefined;
  /** Whether the process shows its figures on a page; they are recorded for an endpoint too. */
  readonly metricsPage?: boolean;
  readonly exportMetricsEveryMs?: number;
  /** Between two exports of spans; 1,000 unless given. */
  readonly exportTracesEveryMs?: number;
  /** How long the end may wait for the collector. Left out except by tests of what is sent at the end. */
  readonly shutdownWithinMs?: number;
  /** Called once when traces or metrics are lost, and once when they arrive again. */
  readonly logger: Logger;
}

export interface TelemetrySettings {
  /** 0 for none. */
  readonly HEALTH_PORT: number;
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  readonly OTEL_METRIC_EXPORT_INTERVAL: number;
  readonly METRICS_PAGE: 'enabled' | 'disabled';
}

/**
 * Traces and metrics as the settings want them. Before any service is made: what it makes is then watched.
 * @throws ConfigError for a page that nothing would serve
 */
export async function startProcessTelemetry(
  config: TelemetrySettings,
  version: string,
  logger: Logger,
): Promise<Telemetry> {
  const page = config.METRICS_PAGE === 'enabled';
  if (page && config.HEALTH_PORT === 0) throw new ConfigError(['METRICS_PAGE: needs a HEALTH_PORT to be served on']);
  return await startTelemetry({
    version,
    logger,
    metricsPage: page,
    endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
    exportMetricsEveryMs: config.OTEL_METRIC_EXPORT_INTERVAL,
  });
}

/** Starts traces and metrics as far as the settings enable them; else loads nothing and costs nothing. */
export async function startTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const { version, logger, metricsPage = false, exportMetricsEveryMs = 60_000 } = options;
  const { shutdownWithinMs = usualShutdownWithinMs } = options;
  const endpoint = options.endpoint?.replace(/\/$/, '');
  if (endpoint === undefined && !metricsPage) return { shutdown: async () => undefined };
  const { startMetrics } = await import('./metrics-export.ts');
  const metrics = startMetrics({
    version,
    endpoint,
    logger,
    exportEveryMs: exportMetricsEveryMs,
    limitMs: exportTimeoutMs,
    page: metricsPage,
  });
  const traces = endpoint === undefined ? undefined : await startTraces({ ...options, endpoint });
  const ignored = (): void => undefined;
  return {
    shutdown: async () => {
      const ended = Promise.all([metrics.shutdown(), traces?.shutdown()]).catch(ignored);
      await within(shutdownWithinMs, ended, ignored);
    },
  };
}

/**
 * A span is its service's, also where several services share a process: each has a provider of its own, and all one
 * exporter.
 */
async function startTraces(options: TelemetryOptions & { readonly endpoint: string }): Promise<Telemetry> {
  const { version, endpoint, logger, exportTracesEveryMs = 1_000 } = options;
  const [{ context }, { AsyncLocalStorageContextManager }, { resourceFromAttributes }, sdk, otlp] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/context-async-hooks'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ]);
  const url = `${endpoint}/v1/traces`;
  const processor = new sdk.BatchSpanProcessor({
    exporter: watchExports(
      new otlp.OTLPTraceExporter({ url, timeoutMillis: exportTimeoutMs }),
      (batch) => batch.length,
      {
        lost: (reason) => logger.warn({ url, reason }, 'traces are lost: the collector does not accept them'),
        restored: (spans) => logger.warn({ url, lost: spans }, 'the collector accepts traces again'),
      },
    ),
    exportTimeoutMillis: exportTimeoutMs,
    scheduledDelayMillis: exportTracesEveryMs,
    maxQueueSize: waitingMax,
  });
  // Nothing is detected: the command line, the user and the host are private.
  const makeTracer = (service: string) =>
    new sdk.TracerProvider({
      resource: resourceFromAttributes({ 'service.name': service, 'service.version': version }),
      spanProcessors: [processor],
      spanLimits: { linkCountLimit: linksMax },
    }).getTracer('app', version);
  const tracers = new Map<string, ReturnType<typeof makeTracer>>();
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  setTracing((service) => {
    const tracer = tracers.get(service) ?? makeTracer(service);
    tracers.set(service, tracer);
    return tracer;
  });
  return {
    shutdown: async () => {
      setTracing(undefined);
      context.disable();
      await processor.shutdown();
    },
  };
}
