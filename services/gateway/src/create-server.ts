import type { FastifyInstance } from 'fastify';
import type { App } from './api/app.ts';
import { createCall } from './api/create-call.ts';
import { routeImages } from './api/image-routes.ts';
import { routeOperations } from './api/operation-routes.ts';
import { operations } from './api/operations/all-operations.ts';
import { devClockOperations } from './api/operations/test-clock.ts';
import { routeProcessorEvents } from './api/processor-event-routes.ts';
import { createGuard } from './edge/guard.ts';
import { routeHealth } from './edge/health-routes.ts';
import { createHttpServer } from './edge/http-server.ts';
import { watchRefusedWrites } from './edge/refused-writes.ts';
import { handleUnknownRoutes } from './edge/unknown-routes.ts';
import type { McpExtension } from './mcp/mcp-server.ts';
import { routeMcp } from './mcp/routes.ts';
import { routeAccents } from './pages/accent-routes.ts';
import { routeAssets } from './pages/assets.ts';
import { routeCheckoutPages } from './pages/checkout-routes.ts';
import { routeDashboard } from './pages/dashboard-routes.ts';
import { routeDevelopers } from './pages/developer-routes.ts';
import { routeLetterPages } from './pages/letter-routes.ts';
import { routeOptOutPages } from './pages/opt-out-routes.ts';
import { routePortalPages } from './pages/portal-routes.ts';
import { sendErrorPage } from './pages/send-answer.ts';

/**
 * An HTTP server with every route of the product, which does not listen yet.
 * @param mcpExtension of tests
 */
export async function createServer(app: App, mcpExtension?: McpExtension): Promise<FastifyInstance> {
  const server = createHttpServer(app.config, app.logger, sendErrorPage);
  const guard = createGuard(server, app);
  const { writeRefusal, healthTimes } = app;
  const refusal = watchRefusedWrites(server, { writeRefusal, refusalMs: healthTimes.refusalMs });
  handleUnknownRoutes(server, guard);
  routeHealth(server, { checks: app.checks, requester: app.requester, healthTimes, writeRefusal: refusal });
  routeOperations(server, app, guard, app.clockControl === null ? operations : [...operations, ...devClockOperations]);
  routeAssets(server, app.config, app.clock);
  routeAccents(server);
  routeImages(server, app, guard);
  routeDevelopers(server, app);
  const pages = { config: app.config, clock: app.clock, call: createCall(app, guard, operations) };
  routeCheckoutPages(server, pages);
  routeOptOutPages(server, pages);
  routeLetterPages(server, pages);
  routePortalPages(server, pages);
  routeDashboard(server, Object.assign({ guard, isSignupOpen: app.config.SIGNUP === 'open' }, pages));
  routeProcessorEvents(server, app);
  await routeMcp(server, app, guard, mcpExtension);
  await server.ready();
  return server;
}
