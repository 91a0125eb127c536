import { isTracing, type OpenSpan, openSpan } from '@app/service-kit/tracing';
import { type Attributes, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { plainAddress } from './client-address.rules.ts';
import { shownPath } from './shown-path.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The request's span; undefined while tracing is off. */
    span: OpenSpan | undefined;
  }
}

/** A span for every request from its arrival to its response, rejected ones too. Without tracing there is no hook. */
export function traceRequests(server: FastifyInstance): void {
  server.decorateRequest('span', undefined);
  if (!isTracing()) return;
  server.addHook('onRequest', (req, reply, done) => {
    const { traceparent } = req.headers;
    const attributes = attributesOf(req);
    const parent = typeof traceparent === 'string' ? traceparent : null;
    req.span = openSpan(nameOf(req), { service: 'gateway', kind: SpanKind.SERVER, attributes, parent });
    // `close` comes after every response, and also when the client goes away before it.
    reply.raw.once('close', () => end(req, reply));
    done();
  });
}

/** Runs work in the request's span: reading a body leaves the context that the hook before it was in. */
export function inRequestSpan<T>({ span }: FastifyRequest, work: () => T): T {
  return span === undefined ? work() : span.run(work);
}

function end({ span }: FastifyRequest, reply: FastifyReply): void {
  if (span === undefined) return;
  const { statusCode } = reply;
  if (reply.raw.headersSent) span.span.setAttribute('http.response.status_code', statusCode);
  const failure = reply.raw.writableFinished ? (statusCode >= 500 ? String(statusCode) : null) : 'aborted';
  if (failure !== null) {
    span.span.setAttribute('error.type', failure).setStatus({ code: SpanStatusCode.ERROR });
  }
  span.span.end();
}

/** A token in the path is the right to what it leads to. */
function pathOf({ url }: FastifyRequest, route: string | undefined): string {
  if (route === undefined) return shownPath(url);
  return route.includes('{token}') ? route : (url.split('?', 1)[0] ?? '').slice(0, 1_000);
}

/** As it stands in the API's description; undefined where nothing is. */
export const routeOf = (req: FastifyRequest): string | undefined => req.routeOptions.url?.replaceAll(/:(\w+)/g, '{$1}');

function nameOf(req: FastifyRequest): string {
  const route = routeOf(req);
  return route === undefined ? req.method : `${req.method} ${route}`;
}

/** By OpenTelemetry's conventions for HTTP, without the secrets that a link may carry. */
function attributesOf(req: FastifyRequest): Attributes {
  const route = routeOf(req);
  const agent = req.headers['user-agent'];
  return {
    'http.request.method': req.method,
    'url.path': pathOf(req, route),
    'url.scheme': req.protocol,
    'network.protocol.version': req.raw.httpVersion,
    'client.address': plainAddress(req.ip),
    'app.request_id': req.id,
    ...(route === undefined ? {} : { 'http.route': route }),
    ...(req.hostname === '' ? {} : { 'server.address': req.hostname }),
    ...(agent === undefined ? {} : { 'user_agent.original': agent }),
  };
}
