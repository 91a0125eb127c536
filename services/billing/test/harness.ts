import type { EventDefinition } from '@app/contracts/define';
import { connectNats } from '@app/messaging/connect';
import { createRequester, type Requester } from '@app/messaging/requester';
import { ensureStream, openStreams } from '@app/messaging/streams';
import { silentLogger } from '@app/service-kit/logger';
import { type FakeClock, fakeClock } from '@app/testing/fake-clock';
import { createTestNats } from '@app/testing/nats';
import { createMigratedDatabase } from '@app/testing/postgres';
import { configSchema } from '../src/config.ts';
import { migrate } from '../src/db/migrate.ts';
import { createBilling } from '../src/service.ts';

export interface Harness {
  readonly requester: Requester;
  readonly clock: FakeClock;
  readonly databaseUrl: string;
  /** What the service has published so far, envelopes as they are. */
  readonly published: unknown[];
  /** Puts an event on its stream; resolves when the stream has it. */
  publish(definition: EventDefinition, event: { id: string; accountId: string; data: unknown }): Promise<void>;
  close(): Promise<void>;
}

/** The billing service on a database and a NATS of its own. */
export async function startHarness(): Promise<Harness> {
  const [database, nats] = await Promise.all([createMigratedDatabase('billing', migrate), createTestNats()]);
  const clock = fakeClock('2026-03-15T12:00:00.000Z');
  const link = await connectNats({ url: nats.url, service: 'gateway' });
  // As checkout does: a stream is its producer's to create.
  await ensureStream(await openStreams(link), 'checkout', 1);
  const published: unknown[] = [];
  link.connection.subscribe('evt.billing.>', { callback: (_err, message) => void published.push(message.json()) });
  const config = configSchema.parse({ NATS_URL: nats.url, DATABASE_URL: database.url });
  const service = await createBilling(config, { logger: silentLogger(), clock });
  return {
    requester: createRequester(link),
    clock,
    databaseUrl: database.url,
    published,
    // A stream answers a request with its acknowledgement.
    publish: async (definition, event) => {
      const payload = JSON.stringify({ ...event, occurredAt: clock.now().toISOString() });
      await link.connection.request(definition.subject, payload, { timeout: 2_000 });
    },
    close: async () => {
      await service.close();
      await link.close();
      await Promise.all([nats.close(), database.close()]);
    },
  };
}
