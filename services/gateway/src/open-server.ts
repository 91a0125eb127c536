import type { AddressInfo } from 'node:net';
import type { ServiceContext } from '@app/service-host/define-service';
import type { FastifyInstance } from 'fastify';
import type { App } from './api/app.ts';
import { createCall } from './api/create-call.ts';
import { routeImages } from './api/image-routes.ts';
import { routeOperations } from './api/operation-routes.ts';
import { operations } from './api/operations/all-operations.ts';
import { devClockOperations } from './api/operations/test-clock.ts';
import { routeProcessorEvents } from './api/processor-event-routes.ts';
import type { GatewayConfig } from './config.ts';
import { createGuard } from './edge/guard.ts';
import { routeHealth } from './edge/health-routes.ts';
import { createHttpServer } from './edge/http-server.ts';
import { handleUnknownRoutes } from './edge/unknown-routes.ts';
import type { GatewayDeps } from './gateway-deps.ts';
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

/** In a process with other services: they and the servers close after it, and all of it has ten seconds. */
const finishBesideOthersWithinMs = 4_000;

/** Opens the HTTP server with every route of the product; resolves to its address for callers on this machine. */
export async function openServer(
  context: ServiceContext<GatewayConfig>,
  app: App,
  {
    finishWithinMs = finishBesideOthersWithinMs,
    beforeListening,
  }: Pick<GatewayDeps, 'finishWithinMs' | 'beforeListening'>,
): Promise<string> {
  const { config, resources } = context;
  const server = resources.add('http server', await createServer(app), (created) => {
    app.requester.finishWithin(finishWithinMs);
    return created.close();
  });
  await beforeListening?.(context);
  await server.listen({ port: config.PORT, host: config.HOST });
  return urlOf(server.server.address() as AddressInfo);
}

function urlOf({ address, port }: AddressInfo): string {
  const anywhere = address === '0.0.0.0' || address === '::';
  return `http://${anywhere ? '127.0.0.1' : address.includes(':') ? `[${address}]` : address}:${port}`;
}

async function createServer(app: App): Promise<FastifyInstance> {
  const server = createHttpServer(app.config, app.logger, sendErrorPage);
  const guard = createGuard(server, app);
  handleUnknownRoutes(server, guard);
  routeHealth(server, app);
  routeOperations(server, app, guard, app.clockControl === null ? operations : [...operations, ...devClockOperations]);
  routeAssets(server);
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
  await routeMcp(server, app, guard);
  await server.ready();
  return server;
}
