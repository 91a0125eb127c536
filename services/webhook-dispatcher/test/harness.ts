import type { EventData, EventDefinition, RequestDefinition, RequestInput } from '@app/contracts/define';
import { newId, newIdSuffix } from '@app/contracts/ids';
import { connectNats } from '@app/messaging/connect';
import { writeContext } from '@app/messaging/request-headers';
import { createRequester } from '@app/messaging/requester';
import { openDatabase } from '@app/service-kit/database';
import { silentLogger } from '@app/service-kit/logger';
import { eventually } from '@app/testing/eventually';
import { fakeClock } from '@app/testing/fake-clock';
import { createTestNats } from '@app/testing/nats';
import { patiently } from '@app/testing/patiently';
import { createMigratedDatabase } from '@app/testing/postgres';
import { startProducers } from '@app/testing/producers';
import { configSchema } from '../src/config.ts';
import { databaseOptions, migrate } from '../src/db/migrate.ts';
import { createWebhookDispatcher } from '../src/service.ts';
import { Partitions } from '../src/storage/partitions.ts';

export type Harness = Awaited<ReturnType<typeof startHarness>>;
/** Starts the service on a database and a NATS server of its own, with a requester and publishers of other services' events. */
export async function startHarness(settings: Record<string, string> = {}) {
  const [stored, nats] = [await createMigratedDatabase('webhook-dispatcher', migrate), await createTestNats()];
  const own = { SECRETS_KEY: 'a key of at least thirty-two characters', WEBHOOKS_ALLOW_LOOPBACK: 'enabled' };
  const env = { DATABASE_URL: stored.url, ...nats.settings('webhook-dispatcher'), ...own, ...settings };
  const clock = fakeClock();
  const start = (changed: Record<string, string> = {}) =>
    createWebhookDispatcher(configSchema.parse({ ...env, ...changed }), { logger: silentLogger(), clock });
  const link = await connectNats(nats.login('gateway'));
  const producers = await startProducers(nats, ['gateway', 'checkout', 'billing', 'catalog', 'affiliate']);
  const running = { service: await start() };
  const requester = createRequester(link);
  // The first request of a test is not the one that finds a loaded machine still busy with the start.
  await eventually(() => requester.reaches('webhook-dispatcher', 1_000), { withinMs: 30_000 });
  const database = await openDatabase(databaseOptions(stored.url));
  const partitions = new Partitions(database, clock);
  return {
    env,
    database,
    partitions,
    clock,
    running,
    start,
    transaction: database.transaction,
    query: async <Row>(text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows as Row[],
    account: () => newId('account', clock.nowMs()),
    ask: <R extends RequestDefinition>(
      definition: R,
      accountId: string,
      input: RequestInput<R>,
      commandId?: string,
    ) => {
      const context = { accountId, requestId: 'test', commandId: commandId ?? newIdSuffix(clock.nowMs()) };
      return patiently(() => requester.request(definition, input, context));
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
    close: async () => {
      await running.service.close();
      await Promise.all([link.close(), producers.close()]);
      await database.close();
      await nats.close();
      await stored.close();
    },
  };
}
