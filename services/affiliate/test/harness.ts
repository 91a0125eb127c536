import type { EventData, EventDefinition, RequestDefinition, RequestInput, RequestOutput } from '@app/contracts/define';
import { newId, newIdSuffix } from '@app/contracts/ids';
import { connectNats } from '@app/messaging/connect';
import { type CallContext, createRequester } from '@app/messaging/requester';
import { type Database, openDatabase } from '@app/service-kit/database';
import { silentLogger } from '@app/service-kit/logger';
import { type FakeClock, fakeClock } from '@app/testing/fake-clock';
import { followProducers } from '@app/testing/followed-events';
import { createTestNats } from '@app/testing/nats';
import { createMigratedDatabase } from '@app/testing/postgres';
import { startProducers } from '@app/testing/producers';
import { expect } from 'vitest';
import { readConfig } from '../src/config.ts';
import { databaseOptions, migrate } from '../src/db/migrate.ts';
import { createAffiliate } from '../src/service.ts';

export interface AffiliateHarness {
  readonly clock: FakeClock;
  /** The service's database, for what it alone can show. */
  readonly database: Database;
  /** Sends requests as the gateway does; the answer must have its published shape, no more. */
  request<R extends RequestDefinition>(
    definition: R,
    input: RequestInput<R>,
    context: { accountId: string } & Partial<CallContext>,
  ): Promise<RequestOutput<R>>;
  /** Puts an event on its stream; resolves when the stream has it. */
  publish<E extends EventDefinition>(
    definition: E,
    accountId: string,
    data: EventData<E>,
    eventId?: string,
  ): Promise<void>;
  /** Resolves when the service has handled every event that was published before. */
  handled(): Promise<void>;
  close(): Promise<void>;
}

/** The real service on a database and a NATS server of its own. */
export async function startAffiliate(): Promise<AffiliateHarness> {
  const { url, close } = await createMigratedDatabase('affiliate', migrate);
  const nats = await createTestNats();
  const clock = fakeClock();
  const link = await connectNats(nats.login('gateway'));
  const producers = followProducers(await startProducers(nats, ['checkout', 'gateway', 'billing']), 'affiliate');
  const service = await createAffiliate(readConfig({ DATABASE_URL: url, ...nats.settings('affiliate') }), {
    logger: silentLogger(),
    clock,
  });
  const database = await openDatabase(databaseOptions(url));
  const requester = createRequester(link);
  return {
    clock,
    database,
    request: async (definition, input, context) => {
      const commandId = newIdSuffix(Date.now());
      const output = await requester.request(definition, input, { requestId: 'req-1', commandId, ...context });
      // Parsing drops unknown fields: an equal rest means there were none.
      expect(definition.output.parse(output)).toEqual(output);
      return output;
    },
    publish: (definition, accountId, data, eventId = newId('event', Date.now())) =>
      producers.publish(definition, { id: eventId, accountId, occurredAt: clock.now().toISOString(), data }),
    handled: producers.handled,
    close: async () => {
      await Promise.all([link.close(), producers.close(), database.close()]);
      await service.close();
      await nats.close();
      await close();
    },
  };
}
