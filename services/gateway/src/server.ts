import type { FastifyInstance } from 'fastify';
import { operations } from './api/operations.ts';
import type { App } from './app.ts';
import { devClockOperations } from './dev-clock/operations.ts';
import { routeDevelopers } from './developers/routes.ts';
import { routeLetterPages } from './hosted/letter-routes.ts';
import { routeHostedPages } from './hosted/routes.ts';
import { createGuard } from './http/guard.ts';
import { routeHealth } from './http/health-routes.ts';
import { createHttpServer } from './http/http-server.ts';
import { routeMcp } from './mcp/routes.ts';
import { routeOperations } from './operations/operation-routes.ts';

/** The HTTP server with every route of the product, not yet listening. */
export async function createServer(app: App): Promise<FastifyInstance> {
  const server = createHttpServer(app.config, app.logger);
  const guard = createGuard(app);
  routeHealth(server, app);
  routeOperations(server, app, guard, app.clockControl === null ? operations : [...operations, ...devClockOperations]);
  server.get('/', (_, reply) => reply.redirect('/developers', 302));
  routeDevelopers(server, app);
  routeHostedPages(server, app, guard);
  routeLetterPages(server, app, guard);
  await routeMcp(server, app, guard);
  await server.ready();
  return server;
}
