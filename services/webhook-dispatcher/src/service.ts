import { defineService } from '@app/service-host/define-service';
import { startLeaseOwner } from '@app/service-kit/lease-owner';
import { activityRequests } from './activity/requests.ts';
import type { WebhookDispatcherConfig } from './config.ts';
import { databaseOptions } from './db/migrate.ts';
import { Dispatcher } from './deliveries/dispatcher.ts';
import { listenForChanges } from './endpoints/endpoint-changes.ts';
import { endpointRequests } from './endpoints/requests.ts';
import { createSecretBox } from './endpoints/secret-box.ts';
import { startSettling } from './endpoints/settling.ts';
import { createSwitchOff } from './endpoints/switch-off-failing.ts';
import { eventHandlers } from './events/consumers.ts';
import { startRetention } from './retention/retention.ts';

export const createWebhookDispatcher = defineService<WebhookDispatcherConfig>({
  name: 'webhook-dispatcher',
  description: 'Webhook endpoints, deliveries and activity',
  database: databaseOptions,
  start: async ({ config, database, clock, logger, nats, resources }) => {
    const allowLoopback = config.WEBHOOKS_ALLOW_LOOPBACK === 'enabled';
    const secrets = createSecretBox(config.SECRETS_KEY);
    const storage = { database, clock, logger };
    resources.add('webhook retention', startRetention(storage), (started) => started.close());
    const leaseOwner = resources.add('lease owner', await startLeaseOwner(database, logger), (started) =>
      started.close(),
    );
    const sending = {
      ...{ owner: leaseOwner.id, secrets, allowLoopback, leaseSeconds: config.LEASE_SECONDS },
      attemptTimeoutMs: config.ATTEMPT_TIMEOUT_SECONDS * 1_000,
      failing: (endpointId: string) => switchOff(endpointId),
    };
    const dispatcher = resources.add('dispatcher', new Dispatcher({ ...storage, ...sending }), (started) =>
      started.close(),
    );
    const settling = startSettling({ ...storage, released: () => dispatcher.wake() });
    resources.add('settling', settling, (started) => started.close());
    const changes = listenForChanges(nats, (endpointId) => {
      void dispatcher.endpointChanged(endpointId);
      settling.wake();
    });
    resources.add('endpoint changes', changes, (started) => started.close());
    const changing = { settle: settling.settleFew, announce: changes.announce };
    const switchOff = createSwitchOff({ ...storage, ...changing });
    return {
      events: eventHandlers({ clock, dispatcher }),
      requests: [
        ...endpointRequests({ database, clock, secrets, allowLoopback, ...changing }),
        ...activityRequests(database),
      ],
    };
  },
});
