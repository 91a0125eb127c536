import type { RequestDefinition, RequestInput, RequestOutput } from '@app/contracts/define';
import { newId, newIdSuffix } from '@app/contracts/ids';
import type { ServiceName } from '@app/contracts/services';
import { connectNats, type NatsClient } from '@app/messaging/connect';
import { type CallContext, createRequester } from '@app/messaging/requester';
import { type Database, openDatabase } from '@app/service-kit/database';
import { silentLogger } from '@app/service-kit/logger';
import { type FakeClock, fakeClock } from '@app/testing/fake-clock';
import { createTestNats } from '@app/testing/nats';
import { createMigratedDatabase } from '@app/testing/postgres';
import { expect } from 'vitest';
import { readConfig } from '../src/config.ts';
import { databaseOptions, migrate } from '../src/db/migrate.ts';
import { createCatalog } from '../src/service.ts';

/** What checkout finds of a product that is a draft and has nothing beside it. */
export const draftAlone = {
  status: 'draft' as const,
  accessUrl: null,
  bumps: [],
  discounts: [],
  upsell: null,
  page: null,
};

export interface CatalogHarness {
  readonly accountId: string;
  readonly clock: FakeClock;
  /** The service's database, for what it alone can show. */
  readonly database: Database;
  /** Sends requests as the gateway does, for `accountId` by default. The response must have its published shape and no other field. */
  readonly request: <R extends RequestDefinition>(
    definition: R,
    input: RequestInput<R>,
    context?: Partial<CallContext>,
  ) => Promise<RequestOutput<R>>;
  /** Connects as another service does, until the end of the test file. */
  readonly connectAs: (name: ServiceName) => Promise<NatsClient>;
  close(): Promise<void>;
}

/** The real service on a database and a NATS server of its own. */
export async function startCatalog(): Promise<CatalogHarness> {
  const { url, close } = await createMigratedDatabase('catalog', migrate);
  const nats = await createTestNats();
  const clock = fakeClock();
  const config = readConfig({ DATABASE_URL: url, ...nats.settings('catalog') });
  const service = await createCatalog(config, { logger: silentLogger(), clock });
  const database = await openDatabase(databaseOptions(url));
  const links: NatsClient[] = [];
  const connectAs = async (name: ServiceName): Promise<NatsClient> => {
    const link = await connectNats(nats.login(name));
    links.push(link);
    return link;
  };
  const link = await connectAs('gateway');
  const requester = createRequester(link);
  const accountId = newId('account', Date.now());
  return {
    accountId,
    clock,
    database,
    connectAs,
    request: async (definition, input, context = {}) => {
      const commandId = newIdSuffix(Date.now());
      const output = await requester.request(definition, input, {
        accountId,
        requestId: 'req-1',
        commandId,
        ...context,
      });
      // Parsing drops unknown fields: an equal rest means there were none.
      expect(definition.output.parse(output)).toEqual(output);
      return output;
    },
    close: async () => {
      await Promise.all(links.map((opened) => opened.close()));
      await database.close();
      await service.close();
      await nats.close();
      await close();
    },
  };
}
