import { context, type ProxyTracerProvider, type Tracer, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { getNumberFromEnv } from '@opentelemetry/core';
import { envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { BatchSpanProcessor } from '@opentelemetry/sdk-trace';
import { watchExports } from './export-watch.ts';
import type { Logger } from './logger.ts';
import { exportTimeoutMsOf, spanExporterTo } from './otlp-exporters.ts';
import { setTracing } from './tracing.ts';

/** What a collector that is away may cost: 16,384 spans of about 1 KB, a few seconds of a busy process. Later ones are dropped. */
const waitingMax = 16_384;
/** A batch of a consumer holds up to 250 events, each of which is linked to its work. */
const linksMax = 256;

export interface TracesOptions {
  readonly version: string;
  readonly url: string;
  /** Between two exports, in milliseconds, where `OTEL_BSP_SCHEDULE_DELAY` does not say it. */
  readonly exportEveryMs: number;
  readonly logger: Logger;
}

/**
 * Sends spans by OpenTelemetry's Node SDK, as the `OTEL_*` variables of the process say: sampler, limits, batches, resource. A span is its
 * service's, also where several services share a process: each has an SDK of its own, and all one exporter.
 */
export async function startTraces({ version, url, exportEveryMs, logger }: TracesOptions) {
  const exporter = watchExports(await spanExporterTo(url), (batch) => batch.length, {
    lost: (reason) => logger.warn({ url, reason }, 'traces are lost: the collector does not accept them'),
    restored: (spans) => logger.warn({ url, lost: spans }, 'the collector accepts traces again'),
  });
  const processor = new BatchSpanProcessor({
    exporter,
    exportTimeoutMillis: getNumberFromEnv('OTEL_BSP_EXPORT_TIMEOUT') ?? exportTimeoutMsOf('traces'),
    scheduledDelayMillis: getNumberFromEnv('OTEL_BSP_SCHEDULE_DELAY') ?? exportEveryMs,
    maxQueueSize: getNumberFromEnv('OTEL_BSP_MAX_QUEUE_SIZE') ?? waitingMax,
    ...batchSize(),
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const makeTracer = (service: string): Tracer => {
    const sdk = new NodeSDK({
      // Null, which its types leave out: there is one already, for all services of the process.
      contextManager: null as never,
      spanProcessors: [processor],
      spanLimits: { linkCountLimit: getNumberFromEnv('OTEL_SPAN_LINK_COUNT_LIMIT') ?? linksMax },
      resource: resourceFromAttributes({ 'service.name': service, 'service.version': version }),
      // What the operator says, and nothing that is found out: the command line, the user and the host are private.
      resourceDetectors: [envDetector],
      // Context is passed on by our own headers; metrics have their own export, and logs are lines.
      ...{ textMapPropagator: null, metricReaders: [], logRecordProcessors: [] },
    });
    sdk.start();
    const provider = (trace.getTracerProvider() as ProxyTracerProvider).getDelegate();
    // The next service's SDK registers another.
    trace.disable();
    return provider.getTracer('app', version);
  };
  const tracers = new Map<string, Tracer>();
  setTracing((service) => {
    const tracer = tracers.get(service) ?? makeTracer(service);
    tracers.set(service, tracer);
    return tracer;
  });
  return {
    shutdown: async (): Promise<void> => {
      setTracing(undefined);
      context.disable();
      await processor.shutdown();
    },
  };
}

function batchSize(): { maxExportBatchSize?: number } {
  const most = getNumberFromEnv('OTEL_BSP_MAX_EXPORT_BATCH_SIZE');
  return most === undefined ? {} : { maxExportBatchSize: most };
}
