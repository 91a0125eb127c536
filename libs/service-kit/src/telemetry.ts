import { ConfigError } from './config.ts';
import type { Logger } from './logger.ts';
import type { Endpoints } from './otlp-exporters.ts';
import { observeProcess } from './process-metrics.ts';
import { within } from './within.ts';

export interface Telemetry {
  shutdown(): Promise<void>;
}

/** A collector on the same network answers within milliseconds. One that does not, costs no more than this at the end. */
const usualShutdownWithinMs = 1_000;

export interface TelemetryOptions extends Endpoints {
  readonly version: string;
  /** Whether nothing is sent, whatever the endpoints are. */
  readonly isDisabled?: boolean;
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
  readonly OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?: string | undefined;
  readonly OTEL_EXPORTER_OTLP_METRICS_ENDPOINT?: string | undefined;
  readonly OTEL_SDK_DISABLED: 'true' | 'false';
  readonly OTEL_METRIC_EXPORT_INTERVAL: number;
  readonly METRICS_PAGE: 'enabled' | 'disabled';
}

/**
 * Traces and metrics as the settings want them, those of the process itself among them. Before any service is made: what it makes is then
 * watched.
 * @param name of the process: its own metrics carry it
 * @throws ConfigError for a page that nothing would serve
 */
export async function startProcessTelemetry(
  config: TelemetrySettings,
  { name, version, logger }: { readonly name: string; readonly version: string; readonly logger: Logger },
): Promise<Telemetry> {
  const page = config.METRICS_PAGE === 'enabled';
  if (page && config.HEALTH_PORT === 0) throw new ConfigError(['METRICS_PAGE: needs a HEALTH_PORT to be served on']);
  const telemetry = await startTelemetry({
    version,
    logger,
    metricsPage: page,
    isDisabled: config.OTEL_SDK_DISABLED === 'true',
    endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
    tracesEndpoint: config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT,
    metricsEndpoint: config.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT,
    exportMetricsEveryMs: config.OTEL_METRIC_EXPORT_INTERVAL,
  });
  const observed = observeProcess(name);
  return {
    shutdown: async () => {
      observed.close();
      await telemetry.shutdown();
    },
  };
}

/**
 * Starts traces and metrics as far as the settings enable them; else loads nothing and costs nothing. OpenTelemetry's SDK is loaded where an
 * endpoint is set: 30 MB and most of a second. The page alone needs a part of it.
 */
export async function startTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const { version, logger, metricsPage = false, isDisabled = false } = options;
  const {
    exportMetricsEveryMs = 60_000,
    exportTracesEveryMs = 1_000,
    shutdownWithinMs = usualShutdownWithinMs,
  } = options;
  const sends = !isDisabled && [options.endpoint, options.tracesEndpoint, options.metricsEndpoint].some(Boolean);
  if (!sends && !metricsPage) return { shutdown: async () => undefined };
  const { addressOf } = sends ? await import('./otlp-exporters.ts') : { addressOf: () => undefined };
  const [metricsUrl, tracesUrl] = [addressOf('metrics', options), addressOf('traces', options)];
  const { startMetrics } = await import('./metrics-export.ts');
  const metrics = await startMetrics({
    version,
    url: metricsUrl,
    logger,
    exportEveryMs: exportMetricsEveryMs,
    page: metricsPage,
  });
  const traces =
    tracesUrl === undefined
      ? undefined
      : await (await import('./traces-export.ts')).startTraces({
          version,
          url: tracesUrl,
          logger,
          exportEveryMs: exportTracesEveryMs,
        });
  const ignored = (): void => undefined;
  return {
    shutdown: async () => {
      const ended = Promise.all([metrics.shutdown(), traces?.shutdown()]).catch(ignored);
      await within(shutdownWithinMs, ended, ignored);
    },
  };
}
