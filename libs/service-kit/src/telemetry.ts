import { setTracing } from './tracing.ts';

export interface Telemetry {
  shutdown(): Promise<void>;
}

/** What a collector that is away may cost: 16,384 spans of about 1 KB, a few seconds of a busy process. Later ones are dropped. */
const waitingMax = 16_384;
const exportEveryMs = 1_000;
/** A batch of a consumer holds up to 250 events, each of which is linked to its work. */
const linksMax = 256;

/**
 * Starts exporting traces when an endpoint is set; else loads nothing and costs nothing. A span is its service's, also
 * where several services share a process: each has a provider of its own, and all one exporter.
 */
export async function startTelemetry(options: { version: string; endpoint?: string | undefined }): Promise<Telemetry> {
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
    exporter: new otlp.OTLPTraceExporter({ url }),
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
      await processor.shutdown();
    },
  };
}
