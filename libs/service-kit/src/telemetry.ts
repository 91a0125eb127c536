import { watchExports } from './export-watch.ts';
import type { Logger } from './logger.ts';
import { setTracing } from './tracing.ts';

export interface Telemetry {
  shutdown(): Promise<void>;
}

/** What a collector that is away may cost: 16,384 spans of about 1 KB, a few seconds of a busy process. Later ones are dropped. */
const waitingMax = 16_384;
const exportEveryMs = 1_000;
/** A collector on the same network answers within milliseconds. One that does not, costs nobody more than this at the end. */
const shutdownWithinMs = 1_000;
const exportTimeoutMs = 5_000;
/** A batch of a consumer holds up to 250 events, each of which is linked to its work. */
const linksMax = 256;

/**
 * Starts exporting traces when an endpoint is set; else loads nothing and costs nothing. A span is its service's, also
 * where several services share a process: each has a provider of its own, and all one exporter.
 */
export async function startTelemetry(options: {
  version: string;
  endpoint?: string | undefined;
  /** Hears once that traces are lost, and once that they arrive again. */
  logger: Logger;
}): Promise<Telemetry> {
  if (options.endpoint === undefined) return { shutdown: async () => undefined };
  const [{ context }, { AsyncLocalStorageContextManager }, { resourceFromAttributes }, sdk, otlp] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/context-async-hooks'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ]);
  const url = `${options.endpoint.replace(/\/$/, '')}/v1/traces`;
  const processor = new sdk.BatchSpanProcessor({
    exporter: watchExports(new otlp.OTLPTraceExporter({ url, timeoutMillis: exportTimeoutMs }), {
      lost: (reason) => options.logger.warn({ url, reason }, 'traces are lost: the collector does not take them'),
      restored: (spans) => options.logger.warn({ url, lost: spans }, 'the collector takes traces again'),
    }),
    exportTimeoutMillis: exportTimeoutMs,
    scheduledDelayMillis: exportEveryMs,
    maxQueueSize: waitingMax,
  });
  // Nothing is detected: the command line, the user and the host are nobody's business.
  const makeTracer = (service: string) =>
    new sdk.TracerProvider({
      resource: resourceFromAttributes({ 'service.name': service, 'service.version': options.version }),
      spanProcessors: [processor],
      spanLimits: { linkCountLimit: linksMax },
    }).getTracer('app', options.version);
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
      await within(shutdownWithinMs, processor.shutdown());
    },
  };
}

/** What is not done by then is given up; its failure is nobody's any more. */
async function within(limitMs: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  await Promise.race([work.catch(() => undefined), limit]);
  clearTimeout(timer);
}
