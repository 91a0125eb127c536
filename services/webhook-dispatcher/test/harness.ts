import type { EventData, EventDefinition, RequestDefinition, RequestInput } from '@app/contracts/define';
import { newId, newIdSuffix } from '@app/contracts/ids';
import { connectNats } from '@app/messaging/connect';
import { writeContext } from '@app/messaging/request-headers';
import { createRequester } from '@app/messaging/requester';
import { ensureStream, openStreams } from '@app/messaging/streams';
import { openDatabase } from '@app/service-kit/database';
import { silentLogger } from '@app/service-kit/logger';
import { fakeClock } from '@app/testing/fake-clock';
import { createTestNats } from '@app/testing/nats';
import { createMigratedDatabase } from '@app/testing/postgres';
import { configSchema } from '../src/config.ts';
import { databaseOptions, migrate } from '../src/db/migrate.ts';
import { createWebhookDispatcher } from '../src/service.ts';

export type Harness = Awaited<ReturnType<typeof startHarness>>;
/** The service on a database and a NATS server of its own, a requester, and a way to publish other services' events. */
export async function startHarness(settings: Record<string, string> = {}) {
  const [stored, nats] = [await createMigratedDatabase('webhook-dispatcher', migrate), await createTestNats()];
  const own = { SECRETS_KEY: 'a key of at least thirty-two characters', WEBHOOKS_ALLOW_LOOPBACK: 'enabled' };
  const env = { DATABASE_URL: stored.url, NATS_URL: nats.url, ...own, ...settings };
  const clock = fakeClock();
  const start = () => createWebhookDispatcher(configSchema.parse(env), { logger: silentLogger(), clock });
  const link = await connectNats({ url: nats.url, service: 'gateway' });
  // As the producers do: a stream is theirs to create.
  const streams = await openStreams(link);
  for (const producer of ['checkout', 'catalog', 'affiliate'] as const) await ensureStream(streams, producer, 1);
  const running = { service: await start() };
  const requester = createRequester(link);
  const database = await openDatabase(databaseOptions(stored.url));
  return {
    env,
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
      return requester.request(definition, input, context);
    },
    publish: async <E extends EventDefinition>(of: E, accountId: string, data: EventData<E>, traceparent?: string) => {
      const event = { id: newId('event', clock.nowMs()), accountId, occurredAt: clock.now().toISOString(), data };
      const headers = writeContext({ accountId: '', requestId: 'test', commandId: '', deadlineMs: 0, traceparent });
      // The stream answers with its acknowledgement.
      await link.connection.request(of.subject, JSON.stringify(event), { timeout: 2_000, headers });
      return event.id;
    },
    close: async () => {
      await running.service.close();
      await link.close();
      await database.close();
      await nats.close();
      await stored.close();
    },
  };
}
