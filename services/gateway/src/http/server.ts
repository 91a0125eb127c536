import type { IncomingMessage } from 'node:http';
import { limits } from '@app/contracts/common';
import { DomainError } from '@app/contracts/errors';
import fastify, { type FastifyInstance } from 'fastify';
import type { App } from '../app.ts';
import type { Actor } from '../auth/actors.ts';
import { devClockOperations } from '../dev-clock/operations.ts';
import { connectionLimits } from './connection-limits.ts';
import { Connections } from './connections.ts';
import { createGuard } from './guard.ts';
import { routeHealth } from './health-routes.ts';
import { parseHost } from './host.rules.ts';
import { acceptJsonBodies } from './json-body.ts';
import { routeOperations } from './operation-routes.ts';
import { operations } from './operations.ts';
import { parts } from './parts.ts';
import { refuseOnSocket, refuseUnreadable } from './refuse-on-socket.ts';
import { requestIdOf } from './request-id.ts';
import { logRequests } from './request-lines.ts';
import { traceRequests } from './request-spans.ts';
import { securityHeaders } from './security-headers.ts';
import { sendProblem } from './send-problem.ts';
import { answerUnknownRoutes } from './unknown-routes.ts';

declare module 'fastify' {
  interface FastifyRequest {
    actor: Actor | null;
  }
}

/** The HTTP server with all routes, not yet listening. */
export async function createServer(app: App): Promise<FastifyInstance> {
  const common = securityHeaders(app.config);
  const connections = new Connections(connectionLimits(app.config), {
    refuse: (socket) => refuseOnSocket(app.config, socket),
    report: (counts) => app.logger.warn(counts, 'connections refused, or closed because their answers were not taken'),
  });
  const server = fastify({
    logger: false,
    genReqId: requestIdOf,
    bodyLimit: limits.bodyBytes,
    trustProxy: app.config.TRUST_PROXY > 0 && ((_address, hop) => hop < app.config.TRUST_PROXY),
    serverFactory: (handler) => connections.createServer(handler),
    forceCloseConnections: 'idle',
    // While closing, requests that still come in on open connections are answered, not turned away.
    return503OnClosing: false,
    clientErrorHandler: (err, socket) => refuseUnreadable(app.config, err, socket),
    // No hook has run for these.
    frameworkErrors: (err, req, reply) => sendProblem(app, err, req, reply.headers(common)),
  });
  server.addHook('preClose', async () => connections.closeIdle());
  server.decorateRequest('actor', null);
  server.setErrorHandler((err, req, reply) => sendProblem(app, err, req, reply));
  traceRequests(server);
  logRequests(server, app);
  addCommonHooks(server, common);
  refuseMalformed(server);
  acceptJsonBodies(server, 'ignore');
  answerUnknownRoutes(server, app);
  const guard = createGuard(app);
  routeHealth(server, app);
  routeOperations(server, app, guard, app.clockControl === null ? operations : [...operations, ...devClockOperations]);
  for (const part of parts) await part(server, app, guard);
  await server.ready();
  return server;
}

/** What Node would refuse by itself, in our words. */
function refuseMalformed(server: FastifyInstance): void {
  server.addHook('onRequest', ({ raw }, _, done) => {
    const { expect = '100-continue' } = raw.headers;
    const fault = faultOfHost(raw);
    if (fault !== null) return done(malformed(fault));
    const expected = expect.toLowerCase() === '100-continue';
    done(expected ? undefined : malformed('Nothing can be expected but 100-continue.'));
  });
}

/** What is wrong with the Host of this request, null when nothing is: whoever comes later may build URLs with it. */
function faultOfHost({ httpVersion, headers: { host }, rawHeaders }: IncomingMessage): string | null {
  if (host === undefined) return httpVersion === '1.1' ? 'A request names its Host.' : null;
  if (parseHost(host) === null) return 'Host must be a host name or address, and a port if need be.';
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
