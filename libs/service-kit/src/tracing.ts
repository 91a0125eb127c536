import { DomainError, errorCodes } from '@app/contracts/errors';
import {
  type Attributes,
  type Context,
  context,
  isSpanContextValid,
  type Link,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  type SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';

/** A tracer whose spans carry the name of this service: several services may share a process. */
export type TracerOf = (service: string) => Tracer;

let tracerOf: TracerOf | undefined;

/** Set once by `startTelemetry`; while off, a span costs a function call. */
export function setTracing(tracers: TracerOf | undefined): void {
  tracerOf = tracers;
}

export const isTracing = (): boolean => tracerOf !== undefined;

export interface SpanOptions {
  /** The service whose work it is. */
  readonly service: string;
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
  /** W3C traceparent of the span this one continues; null begins a trace; left out, it continues the current span. */
  readonly parent?: string | null;
}

/** A span that its caller ends. */
export interface OpenSpan {
  readonly span: Span;
  /** Runs work inside the span; what that starts later belongs to it too. */
  run<T>(work: () => T): T;
}

/** Undefined while tracing is off. */
export function openSpan(name: string, options: SpanOptions, links: Link[] = []): OpenSpan | undefined {
  if (tracerOf === undefined) return undefined;
  const parent = contextOf(options.parent);
  const { kind, attributes } = options;
  const settings = {
    links,
    ...(kind === undefined ? {} : { kind }),
    ...(attributes === undefined ? {} : { attributes }),
  };
  const span = tracerOf(options.service).startSpan(name, settings, parent);
  const inside = trace.setSpan(parent, span);
  return { span, run: (work) => context.with(inside, work) };
}

/** Runs work in a span, which ends with it and shows its failure. */
export function inSpan<T>(name: string, options: SpanOptions, work: (span?: Span) => Promise<T>): Promise<T> {
  const open = openSpan(name, options);
  return open === undefined ? work() : runAndEnd(open, [open.span], work);
}

async function runAndEnd<T>(open: OpenSpan, spans: readonly Span[], work: (span: Span) => Promise<T>): Promise<T> {
  try {
    return await open.run(() => work(open.span));
  } catch (err) {
    for (const span of spans) recordFailure(span, err);
    throw err;
  } finally {
    for (const span of spans) span.end();
  }
}

/** A refusal (not found, invalid) is an answer like any other; an error is what the caller could not have avoided. */
export function recordFailure(span: Span, err: unknown): void {
  const type = errorTypeOf(err);
  if (type === undefined) {
    span.setAttribute('app.refusal', (err as DomainError).code);
    return;
  }
  span.setAttribute('error.type', type);
  span.recordException(err instanceof Error ? err : String(err));
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** Of few values, for `error.type`; undefined for a refusal. */
export function errorTypeOf(err: unknown): string | undefined {
  if (err instanceof DomainError && errorCodes[err.code].status < 500) return undefined;
  const { code, name } = (err ?? {}) as { code?: unknown; name?: unknown };
  return typeof code === 'string' ? code : typeof name === 'string' ? name : '_OTHER';
}

/** One of the things that a batch does together, and the trace it belongs to. */
export interface BatchItem {
  readonly name: string;
  readonly traceparent: string | undefined;
  readonly attributes?: Attributes;
}

/**
 * Work done once for many items, each of which belongs to a trace of its own. Every item gets a span in its own trace,
 * and the work one span that is linked to all of those, and they to it; a lone item's span is that of the work. The
 * work belongs to the first item's trace: a span without a parent might not be sampled although its items are.
 * @param items made only while tracing is on
 * @param work gets the traceparent of each item's span, for what continues the item's trace; nothing while tracing is off
 */
export function inBatchSpan<T>(
  name: string,
  options: Omit<SpanOptions, 'parent'> & { readonly items: () => readonly BatchItem[] },
  work: (traceparents?: readonly (string | undefined)[]) => Promise<T>,
): Promise<T> {
  if (tracerOf === undefined) return work();
  const { items: makeItems, ...common } = options;
  const items = makeItems();
  if (!items.some(({ traceparent }) => spanContextOf(traceparent) !== undefined)) return work();
  const open = items.map((item) => {
    if (spanContextOf(item.traceparent) === undefined) return undefined;
    const attributes = { ...(items.length === 1 ? common.attributes : {}), ...item.attributes };
    return openSpan(item.name, { ...common, attributes, parent: item.traceparent ?? null });
  });
  const spans = open.flatMap((entry) => (entry === undefined ? [] : [entry.span]));
  const traceparents = open.map((entry) => (entry === undefined ? undefined : traceparentOf(entry.span.spanContext())));
  const [lone] = open;
  if (open.length === 1 && lone !== undefined) return runAndEnd(lone, spans, () => work(traceparents));
  const first = spans.find((span) => span.isRecording()) ?? spans[0];
  const links = spans.map((span) => ({ context: span.spanContext() }));
  const parent = first === undefined ? null : traceparentOf(first.spanContext());
  const batch = openSpan(name, { ...common, parent }, links) as OpenSpan;
  for (const span of spans) span.addLink({ context: batch.span.spanContext() });
  return runAndEnd(batch, [batch.span, ...spans], () => work(traceparents));
}

/** The current span as a traceparent header, for what is sent or stored; undefined while tracing is off. */
export function currentTraceparent(): string | undefined {
  if (tracerOf === undefined) return undefined;
  const current = trace.getSpanContext(context.active());
  return current === undefined ? undefined : traceparentOf(current);
}

/** Whether what happens now belongs to a trace that is kept: only then do statements get spans. */
export function isRecording(): boolean {
  return tracerOf !== undefined && trace.getActiveSpan()?.isRecording() === true;
}

function traceparentOf({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

const traceparentForm = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Undefined for what is not a traceparent. */
function spanContextOf(traceparent: string | undefined): SpanContext | undefined {
  const [, traceId, spanId, flags] = traceparentForm.exec(traceparent ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  const found = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(found) ? found : undefined;
}

/** A header that is no traceparent begins a trace, as its specification says. */
function contextOf(parent: string | null | undefined): Context {
  if (parent === undefined) return context.active();
  const found = spanContextOf(parent ?? undefined);
  return found === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, found);
}
