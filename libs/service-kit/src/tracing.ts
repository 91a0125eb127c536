import {
  type Attributes,
  context,
  propagation,
  type Span,
  type SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';

let enabled = false;

/** Set once by `startTelemetry`; while off, spans cost a function call. */
export function setTracingEnabled(on: boolean): void {
  enabled = on;
}

export interface SpanOptions {
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
  /** W3C traceparent of the span this one continues; else the current one. */
  readonly parent?: string;
}

export async function inSpan<T>(name: string, options: SpanOptions, work: (span?: Span) => Promise<T>): Promise<T> {
  if (!enabled) return await work();
  const parent =
    options.parent === undefined
      ? context.active()
      : propagation.extract(context.active(), { traceparent: options.parent });
  const { kind, attributes } = options;
  const settings = { ...(kind === undefined ? {} : { kind }), ...(attributes === undefined ? {} : { attributes }) };
  return await trace.getTracer('app').startActiveSpan(name, settings, parent, async (span) => {
    try {
      return await work(span);
    } catch (err) {
      span.recordException(err as Error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw err;
    } finally {
      span.end();
    }
  });
}

/** The current span as a traceparent header, for what is sent or stored; undefined while tracing is off. */
export function currentTraceparent(): string | undefined {
  if (!enabled) return undefined;
  const carrier: { traceparent?: string } = {};
  propagation.inject(context.active(), carrier);
  return carrier.traceparent;
}
