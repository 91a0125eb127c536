import { setTracingEnabled } from './tracing.ts';

export interface Telemetry {
  shutdown(): Promise<void>;
}

/** Starts exporting traces when an endpoint is set; else loads nothing and costs nothing. */
export async function startTelemetry(options: {
  service: string;
  version: string;
  endpoint?: string | undefined;
}): Promise<Telemetry> {
  if (options.endpoint === undefined) return { shutdown: async () => undefined };
  const { NodeSDK } = await import('@opentelemetry/sdk-node');
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const url = `${options.endpoint.replace(/\/$/, '')}/v1/traces`;
  const sdk = new NodeSDK({
    serviceName: options.service,
    traceExporter: new OTLPTraceExporter({ url }),
    // The default detectors would send the command line, the user and the host.
    resourceDetectors: [{ detect: () => ({ attributes: { 'service.version': options.version } }) }],
    // Traces only: left out, the SDK sets up an exporter for logs too.
    metricReaders: [],
    logRecordProcessors: [],
    instrumentations: [],
  });
  sdk.start();
  setTracingEnabled(true);
  return {
    shutdown: async () => {
      setTracingEnabled(false);
      await sdk.shutdown();
    },
  };
}
