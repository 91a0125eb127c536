import { connectNats, natsCheck } from '@app/messaging/connect';
import { startHousekeeping } from '@app/messaging/housekeeping';
import { natsOptions } from '@app/messaging/nats-options';
import { startRelay } from '@app/messaging/relay';
import { serveRequests } from '@app/messaging/serve-requests';
import { databaseChecks, openDatabase } from '@app/service-kit/database';
import { Lifetime } from '@app/service-kit/lifetime';
import type { RunningService, ServiceDeps } from '@app/service-kit/service';
import type { CatalogConfig } from './config.ts';
import { databaseOptions } from './db/migrate.ts';
import { discountRequests } from './discounts/requests.ts';
import { emailRequests } from './emails/requests.ts';
import { offerRequests } from './offers/requests.ts';
import { productRequests } from './products/requests.ts';

/** Puts the service together: storage, messaging, and last what lets requests in. */
export async function createCatalog(config: CatalogConfig, { logger, clock }: ServiceDeps): Promise<RunningService> {
  const lifetime = new Lifetime(logger);
  try {
    const options = { ...databaseOptions(config.DATABASE_URL), poolMax: config.DATABASE_POOL_MAX };
    const database = lifetime.add('database', await openDatabase(options), (opened) => opened.close());
    const nats = { ...natsOptions(config), logger };
    const link = lifetime.add('nats', await connectNats({ ...nats, service: 'catalog' }), (opened) => opened.close());
    const stream = { streamReplicas: config.STREAM_REPLICAS, streamMaxBytes: config.STREAM_MAX_BYTES };
    const relay = lifetime.add(
      'relay',
      startRelay({ link, databaseUrl: config.DATABASE_URL, logger, ...stream }),
      (started) => started.close(),
    );
    lifetime.add('housekeeping', startHousekeeping(database, logger), (started) => started.close());
    const deps = { database, clock, wakeRelay: () => relay.wake() };
    const served = await serveRequests(link, {
      version: '0.1.0',
      description: 'Products and their funnels',
      answers: [...productRequests(deps), ...offerRequests(deps), ...emailRequests(deps), ...discountRequests(deps)],
      logger,
    });
    lifetime.add('requests', served, (requests) => requests.close());
    return {
      name: 'catalog',
      checks: [...databaseChecks(database), natsCheck(link)],
      close: () => lifetime.close(),
    };
  } catch (err) {
    await lifetime.close();
    throw err;
  }
}
