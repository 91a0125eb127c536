import type { FastifyInstance } from 'fastify';
import type { App } from './api/app.ts';
import { routeOperations } from './api/operation-routes.ts';
import { operations } from './api/operations/all-operations.ts';
import { devClockOperations } from './api/operations/test-clock.ts';
import { createGuard } from './edge/guard.ts';
import { routeHealth } from './edge/health-routes.ts';
import { createHttpServer } from './edge/http-server.ts';
import { handleUnknownRoutes } from './edge/unknown-routes.ts';
import { routeMcp } from './mcp/routes.ts';
import { routeAssets } from './pages/assets.ts';
import { routeDevelopers } from './pages/developer-routes.ts';
import { routeLetterPages } from './pages/hosted/letter-routes.ts';
import { routeHostedPages } from './pages/hosted/routes.ts';
import { sendErrorPage } from './pages/hosted/send-page.ts';

/** The HTTP server with every route of the product, not yet listening. */
export async function createServer(app: App): Promise<FastifyInstance> {
  const server = createHttpServer(app.config, app.logger, sendErrorPage);
  const guard = createGuard(app);
  handleUnknownRoutes(server, guard);
  routeHealth(server, app);
  routeOperations(server, app, guard, app.clockControl === null ? operations : [...operations, ...devClockOperations]);
  server.get('/', (_, reply) => reply.redirect('/developers', 302));
  routeAssets(server);
  routeDevelopers(server, app);
  routeHostedPages(server, app, guard);
  routeLetterPages(server, app, guard);
  await routeMcp(server, app, guard);
  await server.ready();
  return server;
}
