import { connectNats, natsCheck } from '@app/messaging/connect';
import { startConsumers } from '@app/messaging/consume';
import { startHousekeeping } from '@app/messaging/housekeeping';
import { natsOptions } from '@app/messaging/nats-options';
import { startRelay } from '@app/messaging/relay';
import { serveRequests } from '@app/messaging/serve-requests';
import { databaseChecks, openDatabase } from '@app/service-kit/database';
import { Lifetime } from '@app/service-kit/lifetime';
import type { RunningService, ServiceDeps } from '@app/service-kit/service';
import type { BillingConfig } from './config.ts';
import { dailyRunRequests } from './daily-runs/requests.ts';
import { createSlots } from './daily-runs/slots.ts';
import { dailySteps } from './daily-runs/steps.ts';
import { databaseOptions } from './db/migrate.ts';
import { outdated } from './db/outdated.ts';
import { subscriptions } from './subscriptions/consumers.ts';
import { subscriptionRequests } from './subscriptions/requests.ts';

/** Far longer than an account's run takes: one that is slower is stuck, or finishes by itself after the sum was made. */
const partLimitMs = 10 * 60_000;

/** Puts the service together: storage, messaging, what it listens to, and last what lets requests in. */
export async function createBilling(config: BillingConfig, { logger, clock }: ServiceDeps): Promise<RunningService> {
  const lifetime = new Lifetime(logger);
  try {
    const options = { ...databaseOptions(config.DATABASE_URL), poolMax: config.DATABASE_POOL_MAX };
    const database = lifetime.add('database', await openDatabase(options), (opened) => opened.close());
    const nats = { ...natsOptions(config), logger };
    const link = lifetime.add('nats', await connectNats({ ...nats, service: 'billing' }), (opened) => opened.close());
    const stream = { streamReplicas: config.STREAM_REPLICAS, streamMaxBytes: config.STREAM_MAX_BYTES };
    const relay = startRelay({ link, databaseUrl: config.DATABASE_URL, logger, ...stream });
    lifetime.add('relay', relay, (started) => started.close());
    const consumed = subscriptions(() => relay.wake());
    const consumers = startConsumers({ link, database, subscriptions: consumed, logger });
    lifetime.add('consumers', consumers, (started) => started.close());
    lifetime.add('housekeeping', startHousekeeping(database, logger, outdated(clock)), (started) => started.close());
    // Half of the pool for the locks of runs leaves the other half for their work; the run over all needs two.
    const slotsMax = Math.max(2, Math.floor(config.DATABASE_POOL_MAX / 2));
    const running = { slots: createSlots(slotsMax), partsAtOnce: slotsMax - 1, partLimitMs };
    const daily = { database, clock, logger, steps: dailySteps, ...running };
    const served = await serveRequests(link, {
      version: '0.1.0',
      description: 'Subscriptions and the daily collections job',
      answers: [...subscriptionRequests(database), ...dailyRunRequests(daily)],
      logger,
    });
    lifetime.add('requests', served, (requests) => requests.close());
    return {
      name: 'billing',
      checks: [...databaseChecks(database), natsCheck(link), ...consumers.checks],
      close: () => lifetime.close(),
    };
  } catch (err) {
    await lifetime.close();
    throw err;
  }
}
