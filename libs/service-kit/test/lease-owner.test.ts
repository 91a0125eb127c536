import { guardLeaks } from '@app/testing/leak-guard';
import { announced } from '@app/testing/points';
import { createTestDatabase, type TestDatabase } from '@app/testing/postgres';
import { query } from '@app/testing/sql';
import { lettingNobodyIn, startTcpProxy } from '@app/testing/tcp-proxy';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { roundEnded } from '../src/background-loop.ts';
import { openDatabase } from '../src/database.ts';
import { liveLeaseOwners, startLeaseOwner } from '../src/lease-owner.ts';
import { silentLogger } from '../src/logger.ts';

guardLeaks();

let server: TestDatabase;
beforeAll(async () => {
  server = await createTestDatabase();
});
afterAll(() => server?.close());

async function openBehindProxy() {
  const proxy = await startTcpProxy(server.url);
  const database = await openDatabase({ url: proxy.url, applicationName: 'leases', entities: [], migrations: [] });
  const close = async () => {
    await database.close();
    await proxy.close();
  };
  return { proxy, database, close };
}

test('a lease owner waits at its start for a server that takes longer to let it in than a service waits', async () => {
  const { proxy, database, close } = await openBehindProxy();
  proxy.pace(lettingNobodyIn);
  const started = startLeaseOwner(database, silentLogger());
  started.catch(() => undefined);
  await expect(database.pool.query('select 1')).rejects.toThrow('connection timeout');
  proxy.pace(Number.POSITIVE_INFINITY);
  const owner = await started;
  expect(await query(server.url, liveLeaseOwners)).toEqual([{ objid: String(owner.id) }]);
  await owner.close();
  await close();
});

test('a lease owner that lost its lock waits for a silent server no longer than a statement does', async () => {
  const { proxy, database, close } = await openBehindProxy();
  const owner = await startLeaseOwner(database, silentLogger());
  proxy.fail('refuse');
  proxy.fail('hang');
  // `close` waits for the round under way. With 30 s for each, two would not end within the time of `announced`.
  await announced(roundEnded, ({ loop, failed }) => loop === 'lease-owner' && failed, 2);
  await owner.close();
  expect(proxy.failedConnections).toBeGreaterThan(0);
  await close();
});
