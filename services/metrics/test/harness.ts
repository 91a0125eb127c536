import type { EventDefinition } from '@app/contracts/define';
import { connectNats } from '@app/messaging/connect';
import { createRequester, type Requester } from '@app/messaging/requester';
import { silentLogger } from '@app/service-kit/logger';
import { type FakeClock, fakeClock } from '@app/testing/fake-clock';
import { followProducers } from '@app/testing/followed-events';
import { createTestNats, type TestNats } from '@app/testing/nats';
import { createMigratedDatabase } from '@app/testing/postgres';
import { startProducers } from '@app/testing/producers';
import { configSchema } from '../src/config.ts';
import { migrate } from '../src/db/migrate.ts';
import { createMetrics } from '../src/service.ts';

export interface Harness {
  readonly requester: Requester;
  readonly clock: FakeClock;
  readonly databaseUrl: string;
  readonly nats: TestNats;
  /** The service's settings, for its commands. */
  readonly env: Record<string, string>;
  /** Puts an event on its stream; resolves when the stream has it. */
  publish(definition: EventDefinition, event: { id: string; accountId: string; data: unknown }): Promise<void>;
  /** Resolves when the service has handled every event that was published before. */
  handled(): Promise<void>;
  close(): Promise<void>;
}

/** The metrics service on a database and a NATS of its own alone: there is no service that it could call. */
export async function startHarness(): Promise<Harness> {
  const [database, nats] = await Promise.all([createMigratedDatabase('metrics', migrate), createTestNats()]);
  const clock = fakeClock('2026-03-15T12:00:00.000Z');
  const logger = silentLogger();
  const env = { ...nats.settings('metrics'), DATABASE_URL: database.url };
  const config = configSchema.parse(env);
  const link = await connectNats(nats.login('gateway'));
  const producers = followProducers(await startProducers(nats, ['checkout', 'billing', 'catalog']), 'metrics');
  const service = await createMetrics(config, { logger, clock });
  return {
    requester: createRequester(link),
    clock,
    databaseUrl: database.url,
    nats,
    env,
    publish: (definition, event) => producers.publish(definition, { ...event, occurredAt: clock.now().toISOString() }),
    handled: producers.handled,
    close: async () => {
      await service.close();
      await Promise.all([link.close(), producers.close()]);
      await Promise.all([nats.close(), database.close()]);
    },
  };
}

/** The tables of the roll-ups, each row of a generation. */
export const rollupTables = ['product_totals', 'product_months', 'product_days', 'customers'] as const;
