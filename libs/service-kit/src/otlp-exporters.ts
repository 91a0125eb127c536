import { getNumberFromEnv, getStringFromEnv } from '@opentelemetry/core';
import type { PushMetricExporter } from '@opentelemetry/sdk-metrics';
import type { SpanExporter } from '@opentelemetry/sdk-trace';

/** A collector on the same network answers within milliseconds. */
const usualTimeoutMs = 5_000;

export type Signal = 'traces' | 'metrics';

const variable = (signal: Signal, name: string): string | undefined =>
  getStringFromEnv(`OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_${name}`) ??
  getStringFromEnv(`OTEL_EXPORTER_OTLP_${name}`);

type Protocol = 'http/protobuf' | 'http/json' | 'grpc';

/** As `OTEL_EXPORTER_OTLP_PROTOCOL` says; the specification's default where it says nothing that there is. */
function protocolOf(signal: Signal): Protocol {
  const given = variable(signal, 'PROTOCOL')?.trim();
  return given === 'http/json' || given === 'grpc' ? given : 'http/protobuf';
}

/** How long one export may take, in milliseconds. */
export const exportTimeoutMsOf = (signal: Signal): number =>
  getNumberFromEnv(`OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_TIMEOUT`) ??
  getNumberFromEnv('OTEL_EXPORTER_OTLP_TIMEOUT') ??
  usualTimeoutMs;

/** Whether `OTEL_TRACES_EXPORTER` or `OTEL_METRICS_EXPORTER` switches a signal off. */
export const isSwitchedOff = (signal: Signal): boolean =>
  getStringFromEnv(`OTEL_${signal.toUpperCase()}_EXPORTER`)?.trim() === 'none';

/** Headers, compression and certificates the exporters themselves take from their `OTEL_*` variables. */
const settingsOf = (signal: Signal, url: string) => ({ url, timeoutMillis: exportTimeoutMsOf(signal) });

/** Reads no more code than the protocol needs. @param url as the protocol has it: of gRPC without a path */
export async function spanExporterTo(url: string): Promise<SpanExporter> {
  const settings = settingsOf('traces', url);
  switch (protocolOf('traces')) {
    case 'grpc':
      return new (await import('@opentelemetry/exporter-trace-otlp-grpc')).OTLPTraceExporter(settings);
    case 'http/json':
      return new (await import('@opentelemetry/exporter-trace-otlp-http')).OTLPTraceExporter(settings);
    case 'http/protobuf':
      return new (await import('@opentelemetry/exporter-trace-otlp-proto')).OTLPTraceExporter(settings);
  }
}

/** As `spanExporterTo`. */
export async function metricExporterTo(url: string): Promise<PushMetricExporter> {
  const settings = settingsOf('metrics', url);
  switch (protocolOf('metrics')) {
    case 'grpc':
      return new (await import('@opentelemetry/exporter-metrics-otlp-grpc')).OTLPMetricExporter(settings);
    case 'http/json':
      return new (await import('@opentelemetry/exporter-metrics-otlp-http')).OTLPMetricExporter(settings);
    case 'http/protobuf':
      return new (await import('@opentelemetry/exporter-metrics-otlp-proto')).OTLPMetricExporter(settings);
  }
}

export interface Endpoints {
  /** OTLP's address for all signals: over HTTP each has a path below it. */
  readonly endpoint?: string | undefined;
  /** The whole address for traces; it goes before `endpoint`. */
  readonly tracesEndpoint?: string | undefined;
  readonly metricsEndpoint?: string | undefined;
}

/** Where a signal is sent; undefined where it is not. */
export function addressOf(
  signal: Signal,
  { endpoint, tracesEndpoint, metricsEndpoint }: Endpoints,
): string | undefined {
  if (isSwitchedOff(signal)) return undefined;
  const own = signal === 'traces' ? tracesEndpoint : metricsEndpoint;
  if (own !== undefined || endpoint === undefined) return own;
  return protocolOf(signal) === 'grpc' ? endpoint : `${endpoint.replace(/\/$/, '')}/v1/${signal}`;
}
