import type { EventData, EventDefinition, RequestDefinition, RequestInput } from '@app/contracts/define';
import { newId, newIdSuffix } from '@app/contracts/ids';
import { connectNats } from '@app/messaging/connect';
import { writeContext } from '@app/messaging/request-headers';
import { createRequester } from '@app/messaging/requester';
import { silentLogger } from '@app/service-kit/logger';
import { eventually } from '@app/testing/eventually';
import { fakeClock } from '@app/testing/fake-clock';
import { createTestNats } from '@app/testing/nats';
import { createMigratedDatabase } from '@app/testing/postgres';
import pg from 'pg';
import { configSchema } from '../src/config.ts';
import { migrate } from '../src/db/migrate.ts';
import { createWebhookDispatcher } from '../src/service.ts';

export type Harness = Awaited<ReturnType<typeof startHarness>>;

/** The service on a database and a NATS server of its own, a requester, and a way to publish other services' events. */
export async function startHarness(settings: Record<string, string> = {}) {
  const database = await createMigratedDatabase('webhook-dispatcher', migrate);
  const nats = await createTestNats();
  const env = {
    DATABASE_URL: database.url,
    NATS_URL: nats.url,
    SECRETS_KEY: 'test key of at least thirty-two characters',
    WEBHOOKS_ALLOW_LOOPBACK: 'enabled',
    ...settings,
  };
  const clock = fakeClock();
  const start = () => createWebhookDispatcher(configSchema.parse(env), { logger: silentLogger(), clock });
  let service: Awaited<ReturnType<typeof start>> | undefined = await start();
  const link = await connectNats({ url: nats.url, service: 'gateway' });
  const requester = createRequester(link);
  const sql = new pg.Pool({ connectionString: database.url, max: 2 });
  const stop = async () => {
    await service?.close();
    service = undefined;
  };
  return {
    env,
    clock,
    query: async <Row>(text: string, values: unknown[] = []) => (await sql.query(text, values)).rows as Row[],
    ask: <R extends RequestDefinition>(
      definition: R,
      accountId: string,
      input: RequestInput<R>,
      commandId = newIdSuffix(Date.now()),
    ) => requester.request(definition, input, { accountId, requestId: 'test', commandId }),
    publish: async <E extends EventDefinition>(
      definition: E,
      accountId: string,
      data: EventData<E>,
      traceparent?: string,
    ) => {
      const id = newId('event', Date.now());
      const payload = JSON.stringify({ id, accountId, occurredAt: clock.now().toISOString(), data });
      const headers = writeContext({ accountId: '', requestId: 'test', commandId: '', deadlineMs: 0, traceparent });
      // The stream answers a request with its acknowledgement.
      await eventually(() => link.connection.request(definition.subject, payload, { timeout: 2_000, headers }));
      return id;
    },
    check: () => Promise.all((service?.checks ?? []).map((entry) => entry.check())),
    stop,
    start: async () => {
      service = await start();
    },
    close: async () => {
      await stop();
      await link.close();
      await sql.end();
      await nats.close();
      await database.close();
    },
  };
}
