import type { Database } from '@app/service-kit/database';
import { silentLogger } from '@app/service-kit/logger';
import { fakeClock } from '@app/testing/fake-clock';
import { guardLeaks } from '@app/testing/leak-guard';
import { createTestNats } from '@app/testing/nats';
import { createTestDatabase } from '@app/testing/postgres';
import { expect, test } from 'vitest';
import { defineService } from '../src/define-service.ts';

guardLeaks();

test('a service waits longer for a connection while it starts than while its callers wait', async () => {
  const [server, nats] = await Promise.all([createTestDatabase(), createTestNats()]);
  const limits: unknown[] = [];
  let opened: Database | undefined;
  const note = (): void => void limits.push(opened?.pool.options.connectionTimeoutMillis);
  const create = defineService({
    name: 'metrics',
    description: 'no more than what starts it',
    database: (url) => ({ url, applicationName: 'metrics', entities: [], migrations: [] }),
    retention: () => [],
    start: ({ database }) => {
      opened = database;
      note();
      return {};
    },
  });
  const settings = { NATS_URL: nats.url, ...nats.settings('metrics'), DATABASE_URL: server.url, DATABASE_POOL_MAX: 2 };
  const service = await create(settings, { logger: silentLogger(), clock: fakeClock('2026-03-15T12:00:00.000Z') });
  note();
  expect(limits).toEqual([30_000, 5_000]);
  await service.close();
  await Promise.all([nats.close(), server.close()]);
});
