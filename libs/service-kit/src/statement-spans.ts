import { type Attributes, context, SpanKind } from '@opentelemetry/api';
import type pg from 'pg';
import { isRecording, isTracing, type OpenSpan, openSpan, recordFailure } from './tracing.ts';

type Callback = (err: Error | null | undefined, ...results: unknown[]) => void;
type Call = (...args: unknown[]) => unknown;

/**
 * A span for every statement that is part of a recorded trace; what a service does of its own accord (searching for due
 * work, retention) has none. While tracing is off the pool is left as it is.
 */
export function traceStatements(pool: pg.Pool, service: string): void {
  if (!isTracing()) return;
  const connect = pool.connect.bind(pool) as Call;
  // A pool passes a connection on from wherever the one before was released: the caller's trace would be lost.
  const connectInContext: Call = (...args) => connect(...args.map((arg) => bound(arg)));
  Object.assign(pool, { connect: connectInContext });
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as Call;
    Object.assign(client, { query: traced(query, client, service) });
  });
}

const bound = (arg: unknown): unknown => (typeof arg === 'function' ? context.bind(context.active(), arg) : arg);

function traced(query: Call, client: pg.ClientBase, service: string): Call {
  return (...args) => {
    const text = textOf(args[0]);
    if (text === undefined || !isRecording()) return query(...args);
    const open = openSpan(summaryOf(args[0], text), {
      service,
      kind: SpanKind.CLIENT,
      attributes: attributesOf(args[0], text, client),
    });
    if (open === undefined) return query(...args);
    const last = args.at(-1);
    if (typeof last === 'function') return query(...args.slice(0, -1), endingWith(open, last as Callback));
    const result = query(...args);
    if (result instanceof Promise) result.then(...endingAfter(open));
    else open.span.end();
    return result;
  };
}

function endingWith(open: OpenSpan, callback: Callback): Callback {
  return (err, ...results) => {
    end(open, err);
    callback(err, ...results);
  };
}

const endingAfter = (open: OpenSpan) => [() => end(open, undefined), (err: unknown) => end(open, err)] as const;

function end({ span }: OpenSpan, err: unknown): void {
  if (err !== undefined && err !== null) {
    recordFailure(span, err);
    const { code } = err as { code?: unknown };
    if (typeof code === 'string') span.setAttribute('db.response.status_code', code);
  }
  span.end();
}

/** A statement's text has no values in it: those are parameters. */
function textOf(query: unknown): string | undefined {
  if (typeof query === 'string') return query;
  const { text } = (query ?? {}) as { text?: unknown };
  return typeof text === 'string' ? text : undefined;
}

const operationOf = (text: string): string => /\w+/.exec(text)?.[0].toLowerCase() ?? 'statement';

/** Statements that flow have names; those of the ORM are named by what they do. */
function summaryOf(query: unknown, text: string): string {
  const { name } = (query ?? {}) as { name?: unknown };
  return typeof name === 'string' && name !== '' ? name : operationOf(text);
}

function attributesOf(query: unknown, text: string, client: pg.ClientBase): Attributes {
  const { database, host, port } = client as { database?: string; host?: string; port?: number };
  return {
    'db.system.name': 'postgresql',
    'db.operation.name': operationOf(text),
    'db.query.summary': summaryOf(query, text),
    'db.query.text': text,
    ...(database === undefined ? {} : { 'db.namespace': database }),
    ...(host === undefined ? {} : { 'server.address': host }),
    ...(port === undefined ? {} : { 'server.port': port }),
  };
}
