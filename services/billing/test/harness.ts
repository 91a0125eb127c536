import type { EventDefinition } from '@app/contracts/define';
import { connectNats } from '@app/messaging/connect';
import { createRequester, type Requester } from '@app/messaging/requester';
import { silentLogger } from '@app/service-kit/logger';
import { type FakeClock, fakeClock } from '@app/testing/fake-clock';
import { connectObserver, createTestNats } from '@app/testing/nats';
import { createMigratedDatabase } from '@app/testing/postgres';
import { startProducers } from '@app/testing/producers';
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

export const secretsKey = 'a key of at least thirty-two characters';

/** The billing service on a database and a NATS of its own. */
export async function startHarness(): Promise<Harness> {
  const [database, nats] = await Promise.all([createMigratedDatabase('billing', migrate), createTestNats()]);
  const clock = fakeClock('2026-03-15T12:00:00.000Z');
  const link = await connectNats(nats.login('gateway'));
  const producers = await startProducers(nats, ['checkout', 'gateway']);
  const observer = await connectObserver(nats);
  const published: unknown[] = [];
  observer.subscribe('evt.billing.>', { callback: (_err, message) => void published.push(message.json()) });
  await observer.flush();
  const config = configSchema.parse({
    ...nats.settings('billing'),
    DATABASE_URL: database.url,
    PROCESSOR_DEADLINE_MS: 30_000,
    SECRETS_KEY: secretsKey,
  });
  const service = await createBilling(config, { logger: silentLogger(), clock });
  return {
    requester: createRequester(link),
    clock,
    databaseUrl: database.url,
    published,
    publish: (definition, event) => producers.publish(definition, { ...event, occurredAt: clock.now().toISOString() }),
    close: async () => {
      await service.close();
      await Promise.all([link.close(), producers.close(), observer.close()]);
      await Promise.all([nats.close(), database.close()]);
    },
  };
}
