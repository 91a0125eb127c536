import { defineService } from '@app/service-host/define-service';
import { portalRequests } from './api/portal/requests.ts';
import { withdrawalLetterHandlers } from './api/withdrawal-letters.ts';
import type { GatewayConfig } from './config.ts';
import { databaseOptions } from './db/migrate.ts';
import { retention } from './db/retention.ts';
import { checkClockControl, type GatewayDeps, type RunningGateway } from './gateway-deps.ts';
import { reportSharedMailboxes, userKeys } from './identity/shared-mailboxes.ts';
import { openApp } from './open-app.ts';
import { openServer } from './open-server.ts';

/** Starts the gateway: the HTTP server is its last part, so that requests come in only once it can answer them. */
export async function createGateway(config: GatewayConfig, deps: GatewayDeps): Promise<RunningGateway> {
  checkClockControl(config, deps);
  let url = '';
  const create = defineService<GatewayConfig>({
    name: 'gateway',
    description: 'HTTP, MCP and sessions',
    database: databaseOptions,
    emailKeys: [userKeys],
    retention,
    start: async (context) => {
      const app = await openApp(context, deps);
      const reported = await reportSharedMailboxes(context.database, context.logger);
      context.resources.add('shared mailboxes', reported, (reporting) => reporting.close());
      url = await openServer(context, app, deps);
      const baseUrl = config.PUBLIC_URL ?? url;
      return {
        requests: portalRequests(app, baseUrl),
        events: withdrawalLetterHandlers({ letters: app.letters, baseUrl }),
      };
    },
  });
  return { ...(await create(config, deps)), url };
}
