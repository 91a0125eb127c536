import { connectNats, natsCheck } from '@app/messaging/connect';
import { startConsumers } from '@app/messaging/consume';
import { startHousekeeping } from '@app/messaging/housekeeping';
import { startInstance } from '@app/messaging/instance';
import { natsOptions } from '@app/messaging/nats-options';
import { serveRequests } from '@app/messaging/serve-requests';
import { databaseChecks, openDatabase } from '@app/service-kit/database';
import { Lifetime } from '@app/service-kit/lifetime';
import type { RunningService, ServiceDeps } from '@app/service-kit/service';
import { activityRequests } from './activity/requests.ts';
import type { WebhookDispatcherConfig } from './config.ts';
import { databaseOptions } from './db/migrate.ts';
import { Dispatcher } from './deliveries/dispatcher.ts';
import { listenForChanges } from './endpoints/endpoint-changes.ts';
import { endpointRequests } from './endpoints/requests.ts';
import { createSecretBox } from './endpoints/secret-box.ts';
import { startSettling } from './endpoints/settling.ts';
import { createSwitchOff } from './endpoints/switch-off-failing.ts';
import { subscriptions } from './events/consumers.ts';
import { startRetention } from './retention/retention.ts';

/** Puts the service together: storage, messaging, the dispatcher, what feeds it, and last what lets requests in. */
export async function createWebhookDispatcher(
  config: WebhookDispatcherConfig,
  { logger, clock }: ServiceDeps,
): Promise<RunningService> {
  const lifetime = new Lifetime(logger);
  const allowLoopback = config.WEBHOOKS_ALLOW_LOOPBACK === 'enabled';
  const secrets = createSecretBox(config.SECRETS_KEY);
  try {
    const options = { ...databaseOptions(config.DATABASE_URL), poolMax: config.DATABASE_POOL_MAX };
    const database = lifetime.add('database', await openDatabase(options), (opened) => opened.close());
    const nats = { ...natsOptions(config), logger };
    const connected = await connectNats({ ...nats, service: 'webhook-dispatcher' });
    const link = lifetime.add('nats', connected, (opened) => opened.close());
    lifetime.add('housekeeping', startHousekeeping(database, logger), (started) => started.close());
    lifetime.add('retention', startRetention({ database, clock, logger }), (started) => started.close());
    const instance = lifetime.add('instance', await startInstance(database, logger), (started) => started.close());
    const attemptTimeoutMs = config.ATTEMPT_TIMEOUT_SECONDS * 1_000;
    const leaseSeconds = config.LEASE_SECONDS;
    const settings = {
      database,
      owner: instance.owner,
      secrets,
      clock,
      logger,
      allowLoopback,
      attemptTimeoutMs,
      leaseSeconds,
      failing: (endpointId: string) => switchOff(endpointId),
    };
    const dispatcher = lifetime.add('dispatcher', new Dispatcher(settings), (started) => started.close());
    const released = () => dispatcher.wake();
    const settling = startSettling({ database, clock, logger, released });
    lifetime.add('settling', settling, (started) => started.close());
    const changes = listenForChanges(link, (endpointId) => {
      void dispatcher.endpointChanged(endpointId);
      settling.wake();
    });
    lifetime.add('endpoint changes', changes, (started) => started.close());
    const consumed = subscriptions({ clock, dispatcher });
    const consumers = startConsumers({ link, database, subscriptions: consumed, logger });
    lifetime.add('consumers', consumers, (started) => started.close());
    const switchOff = createSwitchOff({
      database,
      clock,
      logger,
      settle: settling.settleFew,
      announce: changes.announce,
    });
    const deps = {
      database,
      clock,
      secrets,
      allowLoopback,
      settle: settling.settleFew,
      announce: changes.announce,
    };
    const served = await serveRequests(link, {
      version: '0.1.0',
      description: 'Webhook endpoints, deliveries and activity',
      answers: [...endpointRequests(deps), ...activityRequests(database)],
      logger,
    });
    lifetime.add('requests', served, (requests) => requests.close());
    return {
      name: 'webhook-dispatcher',
      checks: [...databaseChecks(database), natsCheck(link), ...consumers.checks],
      close: () => lifetime.close(),
    };
  } catch (err) {
    await lifetime.close();
    throw err;
  }
}
