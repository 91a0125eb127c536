import { connectNats, natsCheck } from '@app/messaging/connect';
import { startConsumers } from '@app/messaging/consume';
import { startHousekeeping } from '@app/messaging/housekeeping';
import { natsOptions } from '@app/messaging/nats-options';
import { startRelay } from '@app/messaging/relay';
import { serveRequests } from '@app/messaging/serve-requests';
import { databaseChecks, openDatabase } from '@app/service-kit/database';
import { Lifetime } from '@app/service-kit/lifetime';
import type { RunningService, ServiceDeps } from '@app/service-kit/service';
import { affiliateRequests } from './affiliates/requests.ts';
import { subscriptions } from './commissions/consumers.ts';
import { commissionRequests } from './commissions/requests.ts';
import type { AffiliateConfig } from './config.ts';
import { databaseOptions } from './db/migrate.ts';

/** Puts the service together: storage, messaging, what it listens to, and last what lets requests in. */
export async function createAffiliate(
  config: AffiliateConfig,
  { logger, clock }: ServiceDeps,
): Promise<RunningService> {
  const lifetime = new Lifetime(logger);
  try {
    const options = { ...databaseOptions(config.DATABASE_URL), poolMax: config.DATABASE_POOL_MAX };
    const database = lifetime.add('database', await openDatabase(options), (opened) => opened.close());
    const nats = { ...natsOptions(config), logger };
    const link = lifetime.add('nats', await connectNats({ ...nats, service: 'affiliate' }), (opened) => opened.close());
    const stream = { streamReplicas: config.STREAM_REPLICAS, streamMaxBytes: config.STREAM_MAX_BYTES };
    const relay = lifetime.add(
      'relay',
      startRelay({ link, databaseUrl: config.DATABASE_URL, logger, ...stream }),
      (started) => started.close(),
    );
    const consumed = subscriptions(clock, () => relay.wake());
    const consumers = startConsumers({ link, database, subscriptions: consumed, logger });
    lifetime.add('consumers', consumers, (started) => started.close());
    lifetime.add('housekeeping', startHousekeeping(database, logger), (started) => started.close());
    const deps = { database, clock };
    const served = await serveRequests(link, {
      version: '0.1.0',
      description: 'Partners and their commissions',
      answers: [...affiliateRequests(deps), ...commissionRequests(deps)],
      logger,
    });
    lifetime.add('requests', served, (requests) => requests.close());
    return {
      name: 'affiliate',
      checks: [...databaseChecks(database), natsCheck(link), ...consumers.checks],
      close: () => lifetime.close(),
    };
  } catch (err) {
    await lifetime.close();
    throw err;
  }
}
