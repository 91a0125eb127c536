import type { IncomingMessage } from 'node:http';
import { limits } from '@app/contracts/common';
import { DomainError } from '@app/contracts/errors';
import type { Logger } from '@app/service-kit/logger';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Actor } from '../identity/actors.ts';
import { connectionLimits } from './connection-limits.ts';
import { Connections } from './connections.ts';
import { shareWithAnyOrigin } from './cross-origin.ts';
import { delayRefusals } from './delay-refusals.ts';
import type { EdgeConfig } from './edge-config.ts';
import { encodeResponses } from './encode-responses.ts';
import { isOfHost, parseHost, pathOfTarget } from './host.rules.ts';
import { acceptJsonBodies } from './json-body.ts';
import { rejectConnection, rejectUnreadable } from './reject-on-socket.ts';
import { measureRequests } from './request-durations.ts';
import { requestIdOf } from './request-id.ts';
import { logRequests } from './request-log.ts';
import { traceRequests } from './request-spans.ts';
import { securityHeaders } from './security-headers.ts';
import { type ErrorPage, sendProblem } from './send-problem.ts';

declare module 'fastify' {
  interface FastifyRequest {
    actor: Actor | null;
  }
}

/** The HTTP server with what holds for every request, and no route yet. */
export function createHttpServer(config: EdgeConfig, logger: Logger, errorPage: ErrorPage): FastifyInstance {
  const common = securityHeaders(config);
  const sendError = (err: unknown, req: FastifyRequest, reply: FastifyReply): void =>
    sendProblem(config, err, req, reply, errorPage);
  const connections = new Connections(connectionLimits(config), {
    reject: (socket) => rejectConnection(config, socket),
    report: (counts) =>
      logger.warn(counts, 'connections rejected, or closed because their clients did not read answers'),
  });
  const server = fastify({
    logger: false,
    genReqId: requestIdOf,
    rewriteUrl: ({ url = '' }) => pathOfTarget(url),
    bodyLimit: limits.bodyBytes,
    // As long as Node's longest request line. An id that is too long for the router would match no route, and its error
    // would lack what the route adds: the code of what was not found, and that pages of any origin may read it.
    routerOptions: { maxParamLength: 16_384 },
    trustProxy: config.TRUST_PROXY > 0 && ((_address, hop) => hop < config.TRUST_PROXY),
    // Operations read their own input and write their own output: without these two fastify loads a compiler for each.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    serverFactory: (handler) => connections.createServer(handler),
    forceCloseConnections: 'idle',
    // While the server closes, requests that still come in on open connections are served, not turned away.
    return503OnClosing: false,
    clientErrorHandler: (err, socket) => rejectUnreadable(config, err, socket),
    // No hook has run for these.
    frameworkErrors: (err, req, reply) => sendError(err, req, reply.headers(common)),
  });
  server.addHook('preClose', async () => connections.closeIdle());
  server.decorateRequest('actor', null);
  server.setErrorHandler(sendError);
  traceRequests(server);
  measureRequests(server, config);
  logRequests(server, logger);
  addCommonHooks(server, common);
  shareWithAnyOrigin(server);
  delayRefusals(server);
  encodeResponses(server);
  rejectMalformed(server);
  acceptJsonBodies(server, 'ignore');
  return server;
}

function noSchemas(): never {
  throw new Error('No route has a schema for fastify');
}

/** Node would reject these requests without a problem document. */
function rejectMalformed(server: FastifyInstance): void {
  server.addHook('onRequest', ({ raw, originalUrl }, _, done) => {
    const { expect = '100-continue' } = raw.headers;
    const fault = faultOfHost(raw, originalUrl);
    if (fault !== null) return done(malformed(fault));
    const expected = expect.toLowerCase() === '100-continue';
    done(expected ? undefined : malformed('Nothing can be expected but 100-continue.'));
  });
}

/** Callers of a deployment name the same Host: it is not parsed again for each request. */
let lastHost: string | undefined;

/** What is wrong with the Host of this request, null when nothing is. Later code may build URLs with it. */
function faultOfHost({ httpVersion, headers: { host }, rawHeaders }: IncomingMessage, url: string): string | null {
  if (!isOfHost(url, host)) return 'The address of a request names the host that its header Host names.';
  if (host === undefined) return httpVersion === '1.1' ? 'A request names its Host.' : null;
  if (host !== lastHost && parseHost(host) === null)
    return 'Host must be a host name or address, and a port if need be.';
  lastHost = host;
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts === 1 ? null : 'A request names one Host.';
}

function malformed(detail: string): DomainError {
  return new DomainError('malformed_request', detail);
}

function addCommonHooks(server: FastifyInstance, common: Record<string, string>): void {
  server.addHook('onRequest', (req, reply, done) => {
    reply.headers(common).header('x-request-id', req.id);
    done();
  });
}
