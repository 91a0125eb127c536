import type { EventData, EventDefinition, RequestDefinition, RequestInput } from '@app/contracts/define';
import { newId, newIdSuffix } from '@app/contracts/ids';
import { connectNats } from '@app/messaging/connect';
import { eventsHandled } from '@app/messaging/points';
import { writeContext } from '@app/messaging/request-headers';
import { createRequester } from '@app/messaging/requester';
import { type RequestHandler, serveRequests } from '@app/messaging/serve-requests';
import { roundEnded } from '@app/service-kit/background-loop';
import { type Client, openDatabase } from '@app/service-kit/database';
import { silentLogger } from '@app/service-kit/logger';
import { fakeClock } from '@app/testing/fake-clock';
import { createTestNats } from '@app/testing/nats';
import { announced, type Listener, listen } from '@app/testing/points';
import { createMigratedDatabase } from '@app/testing/postgres';
import { startProducers } from '@app/testing/producers';
import { holdTransaction } from '@app/testing/sql';
import { configSchema, type WebhookDispatcherConfig, type WorkLimits } from '../src/config.ts';
import { databaseOptions, migrate } from '../src/db/migrate.ts';
import {
  attemptsRecorded,
  dueDeliveriesRead,
  endpointChangeApplied,
  endpointJudged,
  eventsStored,
  type RecordedAttempt,
  recoveryFinished,
  type StoredEvent,
} from '../src/points/points.ts';
import { createWebhookDispatcher } from '../src/service.ts';
import { Partitions } from '../src/storage/partitions.ts';

/** Receivers of tests are all on one host. */
const unbounded = { WEBHOOKS_PER_SECOND: '1000000' };

export type Harness = Awaited<ReturnType<typeof startHarness>>;
/** Starts the service on a database and a NATS server of its own, with a requester and publishers of other services' events. */
export async function startHarness(settings: Record<string, string> = {}, limits: Partial<WorkLimits> = {}) {
  const [stored, nats] = [await createMigratedDatabase('webhook-dispatcher', migrate), await createTestNats()];
  const own = {
    SECRETS_KEY: 'a key of at least thirty-two characters',
    WEBHOOKS_ALLOW_LOOPBACK: 'enabled',
    ...unbounded,
  };
  const env = { DATABASE_URL: stored.url, ...nats.settings('webhook-dispatcher'), ...own, ...settings };
  const clock = fakeClock();
  /** @param overrides what no environment sets: limits, and times below a second */
  const start = (changed: Record<string, string> = {}, overrides: Partial<WebhookDispatcherConfig> = {}) => {
    const config = { ...configSchema.parse({ ...env, ...changed }), limits, ...overrides };
    return createWebhookDispatcher(config, { logger: silentLogger(), clock });
  };
  const link = await connectNats(nats.login('gateway'));
  const replica = await connectNats(nats.login('webhook-dispatcher'));
  const producers = await startProducers(nats, ['gateway', 'checkout', 'billing', 'catalog', 'affiliate']);
  const running = { service: await start() };
  const requester = createRequester(link);
  const database = await openDatabase(databaseOptions(stored.url));
  const partitions = new Partitions(database, clock);
  return {
    env,
    database,
    partitions,
    clock,
    running,
    start,
    transaction: <T>(work: (client: Client) => Promise<T>) => holdTransaction(database, work),
    query: async <Row>(text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows as Row[],
    account: () => newId('account', clock.nowMs()),
    /** Answers as the gateway, whose requests the service sends. */
    serveAsGateway: (handlers: readonly RequestHandler[]) =>
      serveRequests(link, { version: '0.0.0', description: 'stand-in', handlers, logger: silentLogger() }),
    request: <R extends RequestDefinition>(
      definition: R,
      accountId: string,
      input: RequestInput<R>,
      commandId?: string,
    ) => {
      const context = { accountId, requestId: 'test', commandId: commandId ?? newIdSuffix(clock.nowMs()) };
      return requester.request(definition, input, context);
    },
    publish: async <E extends EventDefinition>(
      of: E,
      accountId: string,
      data: EventData<E>,
      traceparent?: string,
      id = newId('event', clock.nowMs()),
    ) => {
      const event = { id, accountId, occurredAt: clock.now().toISOString(), data };
      const headers = writeContext({ accountId: '', requestId: 'test', commandId: '', timeoutMs: 0, traceparent });
      await producers.publish(of, event, headers);
      return event.id;
    },
    /** The leases are as of three seconds ago: those of a process that is gone are free from then on. */
    ageLeases: () => database.pool.query(`update deliveries set lease_until = lease_until - interval '3 seconds'`),
    /** Wakes what the service does in the background, at every replica, as a change of an endpoint does. */
    wake: () => replica.connection.publish('wake.webhook-dispatcher.endpoint', ''),
    /** Resolves after a round that began after the call: what it found to do then is done. */
    afterRound: async (of: 'deliveries' | 'endpoint-changes' | 'recoveries') => {
      const { announced } = listen();
      // The first may have been under way.
      for (const times of [1, 2]) {
        replica.connection.publish('wake.webhook-dispatcher.endpoint', '');
        if (of === 'deliveries') await announced(dueDeliveriesRead, () => true, times);
        else await announced(roundEnded, ({ loop }) => loop === `webhook-dispatcher.${of}`, times);
      }
    },
    close: async () => {
      await running.service.close();
      await Promise.all([link.close(), replica.close(), producers.close()]);
      await database.close();
      await nats.close();
      await stored.close();
    },
  };
}

/** The service has handled the event, whatever it made of it. */
export async function handled(eventId: string): Promise<void> {
  await announced(eventsHandled, ({ events }) => events.some(({ id }) => id === eventId));
}

/** The event is stored with its deliveries, and committed. */
export async function stored(eventId: string): Promise<StoredEvent> {
  const [found] = await announced(eventsStored, ({ events }) => events.some(({ id }) => id === eventId));
  return found?.events.find(({ id }) => id === eventId) as StoredEvent;
}

type Of = Partial<Pick<RecordedAttempt, 'accountId' | 'endpointId' | 'deliveryId' | 'number' | 'delivered'>>;

/**
 * So many attempts are recorded: of an account, an endpoint or a delivery, with that number or outcome.
 * @param listener of `listen`, for those from then on; otherwise since the test file began
 */
export async function attempted(of: Of, times = 1, listener: Pick<Listener, 'announced'> = { announced }) {
  const found: RecordedAttempt[] = [];
  const wanted = Object.entries(of) as [keyof Of, unknown][];
  await listener.announced(attemptsRecorded, ({ attempts }) => {
    found.push(...attempts.filter((attempt) => wanted.every(([key, value]) => attempt[key] === value)));
    return found.length >= times;
  });
  return found;
}

/** So many changes of the endpoint are applied to all that waited for it. */
export const changesApplied = (endpointId: string, times = 1) =>
  announced(endpointChangeApplied, (one) => one.endpointId === endpointId && one.isComplete, times);

/** The recovery has enqueued everything, or its endpoint was removed. */
export const finished = (recoveryId: string) => announced(recoveryFinished, (one) => one.recoveryId === recoveryId);

/** A failure or an answer 410 of the endpoint has had its consequences; with a reason: it was judged so. */
export const judged = (endpointId: string, reason?: 'gone' | 'failing' | 'warned') =>
  announced(endpointJudged, (one) => one.endpointId === endpointId && (reason ?? one.reason) === one.reason);
