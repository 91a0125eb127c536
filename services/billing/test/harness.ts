import type { EventDefinition, EventEnvelope } from '@app/contracts/define';
import { connectNats } from '@app/messaging/connect';
import { eventsHandled } from '@app/messaging/points';
import { createRequester, type Requester } from '@app/messaging/requester';
import { silentLogger } from '@app/service-kit/logger';
import { createArrivals } from '@app/testing/arrivals';
import { type FakeClock, fakeClock } from '@app/testing/fake-clock';
import { connectObserver, createTestNats } from '@app/testing/nats';
import { listen } from '@app/testing/points';
import { createMigratedDatabase } from '@app/testing/postgres';
import { startProducers } from '@app/testing/producers';
import { query } from '@app/testing/sql';
import type { z } from 'zod';
import { configSchema } from '../src/config.ts';
import { migrate } from '../src/db/migrate.ts';
import { createBilling } from '../src/service.ts';
import { startCheckoutStandIn } from './checkout-stand-in.ts';

type Published = EventEnvelope<Record<string, unknown>>;
type PublishedEvent = { readonly id: string; readonly accountId: string; readonly data: unknown };

export interface Harness {
  readonly requester: Requester;
  readonly clock: FakeClock;
  readonly databaseUrl: string;
  /** What the service has published so far, envelopes as they are. */
  readonly published: readonly Published[];
  /** The account's events, as soon as all that are in the outbox are published. */
  publishedOf(accountId: string): Promise<Published[]>;
  /** Puts an event on its stream; resolves when the stream has it. */
  publish(definition: EventDefinition, event: PublishedEvent): Promise<void>;
  /** Puts an event on its stream; resolves when the service has handled it. */
  deliver(definition: EventDefinition, event: PublishedEvent): Promise<void>;
  close(): Promise<void>;
}

export const secretsKey = 'a key of at least thirty-two characters';

/** The billing service on a database and a NATS of its own. */
/** @param settings further ones; unless they say otherwise, accounts that have chosen no processor have the simulated one */
export async function startHarness(settings: Partial<z.input<typeof configSchema>> = {}): Promise<Harness> {
  const [database, nats] = await Promise.all([createMigratedDatabase('billing', migrate), createTestNats()]);
  const clock = fakeClock('2026-03-15T12:00:00.000Z');
  const link = await connectNats(nats.login('gateway'));
  const checkout = await startCheckoutStandIn(nats);
  const producers = await startProducers(nats, ['checkout', 'gateway']);
  const observer = await connectObserver(nats);
  const published = createArrivals<Published>();
  observer.subscribe('evt.billing.>', { callback: (_err, message) => published.push(message.json()) });
  await observer.flush();
  const config = configSchema.parse({
    ...nats.settings('billing'),
    DATABASE_URL: database.url,
    PROCESSOR_DEADLINE_MS: 30_000,
    SECRETS_KEY: secretsKey,
    SIMULATED_PROCESSOR: 'default',
    ...settings,
  });
  const service = await createBilling(config, { logger: silentLogger(), clock });
  const publish: Harness['publish'] = (definition, event) =>
    producers.publish(definition, { ...event, occurredAt: clock.now().toISOString() });
  return {
    requester: createRequester(link),
    clock,
    databaseUrl: database.url,
    published: published.list,
    publishedOf: async (accountId) => {
      const written = `select payload::json ->> 'id' as id from outbox where payload::json ->> 'accountId' = $1`;
      for (const { id } of await query<{ id: string }>(database.url, written, [accountId])) {
        await published.wait(1, { matches: (event) => event.id === id, what: `events ${id}` });
      }
      return published.list.filter((event) => event.accountId === accountId);
    },
    publish,
    deliver: async (definition, event) => {
      const from = listen();
      await publish(definition, event);
      await from.announced(eventsHandled, ({ events }) => events.some(({ id }) => id === event.id));
    },
    close: async () => {
      await service.close();
      await Promise.all([link.close(), producers.close(), observer.close(), checkout.close()]);
      await Promise.all([nats.close(), database.close()]);
    },
  };
}
