import { connectNats, natsCheck } from '@app/messaging/connect';
import { startHousekeeping } from '@app/messaging/housekeeping';
import { natsOptions } from '@app/messaging/nats-options';
import { startRelay } from '@app/messaging/relay';
import { createRequester } from '@app/messaging/requester';
import { serveRequests } from '@app/messaging/serve-requests';
import { databaseChecks, openDatabase } from '@app/service-kit/database';
import { Lifetime } from '@app/service-kit/lifetime';
import type { RunningService, ServiceDeps } from '@app/service-kit/service';
import type { CheckoutConfig } from './config.ts';
import { databaseOptions } from './db/migrate.ts';
import { outdated } from './db/outdated.ts';
import { createOrderBatcher } from './orders/place-order.ts';
import { orderRequests } from './orders/requests.ts';

/** Puts the service together: storage, messaging, the order desk, and last what lets requests in. */
export async function createCheckout(config: CheckoutConfig, { logger }: ServiceDeps): Promise<RunningService> {
  const lifetime = new Lifetime(logger);
  try {
    const options = { ...databaseOptions(config.DATABASE_URL), poolMax: config.DATABASE_POOL_MAX };
    const database = lifetime.add('database', await openDatabase(options), (opened) => opened.close());
    const nats = { ...natsOptions(config), logger };
    const link = lifetime.add('nats', await connectNats({ ...nats, service: 'checkout' }), (opened) => opened.close());
    const stream = { streamReplicas: config.STREAM_REPLICAS, streamMaxBytes: config.STREAM_MAX_BYTES };
    const relay = lifetime.add(
      'relay',
      startRelay({ link, databaseUrl: config.DATABASE_URL, logger, ...stream }),
      (started) => started.close(),
    );
    lifetime.add('housekeeping', startHousekeeping(database, logger, outdated), (started) => started.close());
    const desk = lifetime.add(
      'order desk',
      createOrderBatcher({ database, requester: createRequester(link), afterCommit: () => relay.wake() }),
      (batcher) => batcher.close(),
    );
    const served = await serveRequests(link, {
      version: '0.1.0',
      description: 'Orders and checkouts',
      answers: orderRequests(database, desk),
      logger,
    });
    lifetime.add('requests', served, (requests) => requests.close());
    return {
      name: 'checkout',
      checks: [...databaseChecks(database), natsCheck(link)],
      close: () => lifetime.close(),
    };
  } catch (err) {
    await lifetime.close();
    throw err;
  }
}
