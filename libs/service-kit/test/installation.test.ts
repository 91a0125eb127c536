import { guardLeaks } from '@app/testing/leak-guard';
import { listen } from '@app/testing/points';
import { createTestDatabase, type TestDatabase } from '@app/testing/postgres';
import { query } from '@app/testing/sql';
import { startTcpProxy } from '@app/testing/tcp-proxy';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { roundEnded } from '../src/background-loop.ts';
import { openDatabase } from '../src/database.ts';
import {
  adoptInstallation,
  type Installation,
  installationKnown,
  installationMigration,
  openInstallation,
} from '../src/installation.ts';
import { silentLogger } from '../src/logger.ts';
import { migrateUp } from '../src/migrations.ts';

/** Guarantee: a database that was copied or restored is known as a copy until it is adopted, and an original never is. */
guardLeaks();

let server: TestDatabase;
const logger = silentLogger();
beforeEach(async () => {
  server = await createTestDatabase();
  await migrateUp({ url: server.url, applicationName: 'installation', migrations: [installationMigration] });
});
afterEach(() => server?.close());

const openOwn = (url: string) => openDatabase({ url, applicationName: 'installation', entities: [], migrations: [] });

async function withDatabase<T>(work: (database: Awaited<ReturnType<typeof openDatabase>>) => Promise<T>) {
  const database = await openOwn(server.url);
  return await work(database).finally(() => database.close());
}

async function opened<T>(id: string | undefined, look: (installation: Installation) => T | Promise<T>): Promise<T> {
  return await withDatabase(async (database) => {
    const installation = await openInstallation(database, id, { logger, service: 'test' });
    try {
      return await look(installation);
    } finally {
      await installation.close();
    }
  });
}
/** As a dump is restored: the table is made anew, and its rows are copied into it. */
async function restoreDump(): Promise<void> {
  const restore = [
    'begin',
    'create table kept as table installation',
    'drop table installation',
    `create table installation (singleton boolean primary key default true check (singleton), id text,
       made_in oid not null, adopted_at timestamptz not null default now())`,
    'insert into installation table kept',
    'drop table kept',
    'commit',
  ];
  await query(server.url, restore.join('; '));
}

const isCopy = (id?: string) => opened(id, (installation) => installation.isCopy());
const adopt = (id?: string) => withDatabase((database) => adoptInstallation(database, id));

test('the first process names the installation, at once for all replicas, and another id is a copy', async () => {
  expect(await Promise.all(['own', 'own', 'own'].map(isCopy))).toEqual([false, false, false]);
  expect([await isCopy('own'), await isCopy('other'), await isCopy()]).toEqual([false, true, true]);
  await adopt('other');
  expect([await isCopy('other'), await isCopy('own')]).toEqual([false, true]);
});

test('a database of before the setting belongs to the first process that has it', async () => {
  expect([await isCopy(), await isCopy()]).toEqual([false, false]);
  expect([await isCopy('own'), await isCopy('other'), await isCopy()]).toEqual([false, true, true]);
});

test('a restored dump is a copy, under the same id and without one', async () => {
  for (const id of ['own', undefined]) {
    await adopt(id);
    expect(await isCopy(id)).toBe(false);
    await restoreDump();
    expect(await isCopy(id)).toBe(true);
    await adopt(id);
    expect(await isCopy(id)).toBe(false);
  }
});

test('a dump that is restored under a running original makes it a copy, until it is adopted', async () => {
  await withDatabase(async (database) => {
    const installation = await openInstallation(database, 'own', { logger, service: 'test', checkEveryMs: 20 });
    expect(installation.isCopy()).toBe(false);
    const { announced } = listen();
    await restoreDump();
    await announced(installationKnown, ({ state }) => state === 'copy');
    expect([installation.isCopy(), installation.check.warning?.()]).toEqual([true, expect.stringContaining('adopt')]);
    await adoptInstallation(database, 'own');
    await announced(installationKnown, ({ state }) => state === 'original');
    expect(installation.isCopy()).toBe(false);
    await installation.close();
  });
});

test('an original whose database goes away for a while stays one', async () => {
  const proxy = await startTcpProxy(server.url);
  const database = await openOwn(proxy.url);
  const installation = await openInstallation(database, 'own', { logger, service: 'test', checkEveryMs: 20 });
  const { announced, sofar } = listen();
  const ofIt = ({ loop }: { readonly loop: string }) => loop === 'installation';
  proxy.fail('refuse');
  await announced(roundEnded, (round) => ofIt(round) && round.failed);
  expect([installation.isCopy(), installation.isUnknown()]).toEqual([false, false]);
  proxy.restore();
  const { announced: again } = listen();
  await again(roundEnded, (round) => ofIt(round) && !round.failed);
  expect([installation.isCopy(), sofar(installationKnown)]).toEqual([false, []]);
  await installation.close();
  await database.close();
  await proxy.close();
});

test('a running copy becomes the original when it is adopted, and warns of itself until then', async () => {
  await adopt('other');
  await opened('own', async (installation) => {
    expect([installation.isCopy(), installation.check.warning?.()]).toEqual([true, expect.stringContaining('adopt')]);
    await expect(installation.check.check()).resolves.toBeUndefined();
    await adopt('own');
    await listen().announced(installationKnown, ({ state }) => state === 'original');
    expect([installation.isCopy(), installation.check.warning?.()]).toEqual([false, undefined]);
  });
});

test('while the database is away nothing goes out and the service is not ready; then it is known', async () => {
  const proxy = await startTcpProxy(server.url);
  proxy.fail('refuse');
  const database = await openOwn(proxy.url);
  const installation = await openInstallation(database, 'own', { logger, service: 'test' });
  expect([installation.isCopy(), installation.isUnknown(), installation.check.warning?.()]).toEqual([
    true,
    true,
    undefined,
  ]);
  await expect(installation.check.check()).rejects.toThrow('not known yet');
  const { announced: again } = listen();
  proxy.restore();
  await again(installationKnown, ({ state }) => state === 'original');
  expect([installation.isCopy(), installation.isUnknown()]).toEqual([false, false]);
  await installation.close();
  await database.close();
  await proxy.close();
});
