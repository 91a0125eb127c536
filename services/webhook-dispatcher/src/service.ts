import { defineService } from '@app/service-host/define-service';
import { startLeaseOwner } from '@app/service-kit/lease-owner';
import { activityRequests } from './activity/requests.ts';
import { createWriteBuiltIns } from './automations/built-in-writer.ts';
import { createEmails } from './automations/emails.ts';
import { automationRequests } from './automations/requests.ts';
import { usualLimits, type WebhookDispatcherConfig } from './config.ts';
import { startConservation } from './conservation/conservation.ts';
import { databaseOptions } from './db/migrate.ts';
import { Dispatcher } from './deliveries/dispatcher.ts';
import { createGuardedAgent } from './deliveries/guarded-agent.ts';
import { startApplyingChanges } from './endpoints/applying-changes.ts';
import { listenForChanges } from './endpoints/endpoint-changes.ts';
import { endpointRequests } from './endpoints/requests.ts';
import { eventHandlers } from './events/consumers.ts';
import { createSwitchOff } from './failing/switch-off.ts';
import { historyRequests } from './history/requests.ts';
import { startFeeding } from './repair/feeding.ts';
import { repairRequests } from './repair/requests.ts';
import { startRetention } from './retention/retention.ts';
import { createSecretBox } from './secrets/secret-box.ts';
import { Partitions } from './storage/partitions.ts';
import { testSendRequests } from './test-sends/requests.ts';

export const createWebhookDispatcher = defineService<WebhookDispatcherConfig>({
  name: 'webhook-dispatcher',
  description: 'Webhook endpoints, deliveries and activity',
  database: databaseOptions,
  start: async ({ config, database, clock, logger, nats, resources }) => {
    const allowLoopback = config.WEBHOOKS_ALLOW_LOOPBACK === 'enabled';
    if (allowLoopback) logger.info('webhooks to loopback addresses allowed: accounts reach every port of this machine');
    const secrets = createSecretBox(config.SECRETS_KEY);
    const limits = { ...usualLimits, ...config.limits };
    const partitions = new Partitions(database, clock);
    await partitions.makeAhead();
    const storage = { database, partitions, clock, logger };
    resources.add('webhook retention', startRetention(storage), (started) => started.close());
    const proving = { ...storage, intervalSeconds: config.CONSERVATION_SECONDS };
    resources.add('conservation', startConservation(proving), (started) => started.close());
    const leaseOwner = resources.add('lease owner', await startLeaseOwner(database, logger), (started) =>
      started.close(),
    );
    const emails = createEmails(config, storage);
    const sending = {
      ...{ sendEmail: emails.sendEmail, emailTimeoutMs: emails.timeoutMs },
      ...{ owner: leaseOwner.id, secrets, allowLoopback, leaseSeconds: config.LEASE_SECONDS },
      webhooksPerSecond: config.WEBHOOKS_PER_SECOND,
      attemptTimeoutMs: config.ATTEMPT_TIMEOUT_SECONDS * 1_000,
      onFailedForADay: (endpointId: string) => switchOff.failedForADay(endpointId),
      onGone: (endpointId: string, url: string) => switchOff.gone(endpointId, url),
    };
    const dispatcher = resources.add('dispatcher', new Dispatcher({ ...storage, ...sending }), (started) =>
      started.close(),
    );
    const applying = startApplyingChanges({ ...storage, ...limits });
    resources.add('endpoint changes to apply', applying, (started) => started.close());
    const feeding = startFeeding({ ...storage, ...limits, fed: () => dispatcher.wake() });
    resources.add('recoveries', feeding, (started) => started.close());
    const changes = listenForChanges(nats, (endpointId) => {
      void dispatcher.endpointChanged(endpointId);
      applying.wake();
      feeding.wake();
    });
    resources.add('endpoint changes', changes, (started) => started.close());
    const agent = resources.add('self-tests', createGuardedAgent({ allowLoopback }), (started) => started.destroy());
    const changing = { applyChange: applying.applyFew, announce: changes.announce };
    const switchOff = createSwitchOff({ ...storage, ...changing, emailsAvailable: emails.available });
    const storing = { clock, dispatcher, partitions, emailsAvailable: emails.available };
    const changingEndpoints = { database, clock, secrets, allowLoopback, ...changing };
    return {
      events: eventHandlers({ ...storing, writeBuiltIns: createWriteBuiltIns(emails.available) }),
      requests: [
        ...endpointRequests(changingEndpoints),
        ...automationRequests({ ...changingEndpoints, ...storing }),
        ...activityRequests(database),
        ...repairRequests({ database, clock, announce: changes.announce, released: () => dispatcher.wake() }),
        ...historyRequests(database),
        ...testSendRequests({ ...storage, dispatcher, agent, secrets, attemptTimeoutMs: sending.attemptTimeoutMs }),
      ],
    };
  },
});
