import { connectNats, natsCheck } from '@app/messaging/connect';
import { startConsumers } from '@app/messaging/consume';
import { startHousekeeping } from '@app/messaging/housekeeping';
import { natsOptions } from '@app/messaging/nats-options';
import { createRequester } from '@app/messaging/requester';
import { serveRequests } from '@app/messaging/serve-requests';
import { databaseChecks, openDatabase } from '@app/service-kit/database';
import { Lifetime } from '@app/service-kit/lifetime';
import type { RunningService, ServiceDeps } from '@app/service-kit/service';
import type { MetricsConfig } from './config.ts';
import { databaseOptions } from './db/migrate.ts';
import { subscriptions } from './facts/consumers.ts';
import { metricsRequests } from './metrics/requests.ts';

/** Puts the service together: storage, messaging, what it listens to, and last what lets requests in. */
export async function createMetrics(config: MetricsConfig, { logger, clock }: ServiceDeps): Promise<RunningService> {
  const lifetime = new Lifetime(logger);
  try {
    const options = { ...databaseOptions(config.DATABASE_URL), poolMax: config.DATABASE_POOL_MAX };
    const database = lifetime.add('database', await openDatabase(options), (opened) => opened.close());
    const nats = { ...natsOptions(config), logger };
    const link = lifetime.add('nats', await connectNats({ ...nats, service: 'metrics' }), (opened) => opened.close());
    const consumers = startConsumers({ link, database, subscriptions: subscriptions(), logger });
    lifetime.add('consumers', consumers, (started) => started.close());
    lifetime.add('housekeeping', startHousekeeping(database, logger), (started) => started.close());
    const served = await serveRequests(link, {
      version: '0.1.0',
      description: 'Sales metrics of products',
      answers: metricsRequests({ database, requester: createRequester(link), clock }),
      logger,
    });
    lifetime.add('requests', served, (requests) => requests.close());
    return {
      name: 'metrics',
      checks: [...databaseChecks(database), natsCheck(link), ...consumers.checks],
      close: () => lifetime.close(),
    };
  } catch (err) {
    await lifetime.close();
    throw err;
  }
}
