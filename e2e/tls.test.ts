import { chmod, chown, copyFile, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '@app/catalog/migrate';
import { startNatsServer } from '@app/embedded/nats-server';
import { freePort } from '@app/embedded/ports';
import { connectNats } from '@app/messaging/connect';
import { natsUsersConfig } from '@app/messaging/nats-config';
import { natsOptions } from '@app/messaging/nats-options';
import { leadingBegan, publishingFailed } from '@app/messaging/points';
import { type SpawnedNode, spawnNode } from '@app/testing/child-service';
import { listen } from '@app/testing/points';
import { pollSystem } from '@app/testing/poll-system';
import { testInfra } from '@app/testing/provided';
import { query } from '@app/testing/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OwnPostgres, startOwnPostgres } from './support/own-postgres.ts';

/**
 * Guarantee: with the settings of deploy/README.md every connection to PostgreSQL and NATS is encrypted and its server
 * checked. The certificate is for localhost and 127.0.0.1, signed by an authority that no other client trusts.
 */
const certificates = join(import.meta.dirname, 'support/tls');
const authority = join(certificates, 'ca.pem');

let directory: string;
let postgres: OwnPostgres;
let nats: Awaited<ReturnType<typeof startNatsServer>>;
let databaseUrl: string;
let healthPort: number;
const services: SpawnedNode[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'funnelry-tls-'));
  healthPort = await freePort();
  postgres = await startOwnPostgres();
  databaseUrl = await postgres.createDatabase('catalog', migrate);
  await encryptPostgres();
  const configFile = join(directory, 'nats.conf');
  const files = `cert_file: "${certificates}/server.pem", key_file: "${certificates}/server.key"`;
  await writeFile(configFile, `tls { ${files} }\n${natsUsersConfig(() => '"secret"')}`);
  const binary = testInfra().natsServerBinary ?? '';
  nats = await startNatsServer({ binary, dataDir: join(directory, 'nats'), configFile });
});

afterAll(async () => {
  for (const service of services) await service.kill('SIGKILL');
  await nats?.kill();
  await postgres?.close();
  await rm(directory, { recursive: true, force: true });
});

/** The key must belong to the server's own user. */
async function encryptPostgres(): Promise<void> {
  const cluster = join(postgres.dataDir, 'cluster');
  const { uid, gid } = await stat(cluster);
  for (const file of ['server.pem', 'server.key']) {
    await copyFile(join(certificates, file), join(cluster, file));
    await chown(join(cluster, file), uid, gid);
  }
  await chmod(join(cluster, 'server.key'), 0o600);
  await postgres.administer(`alter system set ssl_cert_file = 'server.pem'`);
  await postgres.administer(`alter system set ssl_key_file = 'server.key'`);
  await postgres.administer('alter system set ssl = on');
  await postgres.administer('select pg_reload_conf()');
}

const natsUrl = () => `tls://localhost:${nats.port}`;
const encryptedUrl = (root: string) => `${databaseUrl}?sslmode=verify-full&sslrootcert=${encodeURIComponent(root)}`;

async function startCatalog(settings: Record<string, string>): Promise<SpawnedNode> {
  const credentials = { NATS_USER: 'catalog', NATS_PASSWORD: 'secret' };
  const env = {
    ...credentials,
    LOG_LEVEL: 'warn',
    HEALTH_PORT: String(healthPort),
    HEALTH_HOST: '127.0.0.1',
    ...settings,
  };
  const child = await spawnNode('services/catalog/src/main.ts', env, { readyLine: /^catalog ready/ });
  services.push(child);
  return child;
}

/** What is missing for the service to be ready; the check makes it connect. */
async function missing(): Promise<string[]> {
  const answer = await fetch(`http://127.0.0.1:${healthPort}/readyz`);
  return ((await answer.json()) as { missing: string[] }).missing;
}

test('a service with NATS_TLS_CA and sslmode=verify-full encrypts all of its connections', async () => {
  const { announced } = listen();
  await startCatalog({ DATABASE_URL: encryptedUrl(authority), NATS_URL: natsUrl(), NATS_TLS_CA: authority });
  await announced(leadingBegan, ({ service }) => service === 'catalog');
  // A check has a second: a machine that does much else is not ready for a moment.
  await pollSystem('catalog is ready', async () => (await missing()).length === 0);
  // The pool's and the relay's.
  const connections = await query<{ name: string; ssl: boolean }>(
    databaseUrl,
    `select application_name as name, ssl from pg_stat_activity join pg_stat_ssl using (pid)
     where application_name like 'catalog%'`,
  );
  expect(new Set(connections.map(({ name }) => name)).size).toBe(2);
  expect(connections.filter(({ ssl }) => !ssl)).toEqual([]);
  const settings = { NATS_URL: natsUrl(), NATS_TLS_CA: authority, NATS_USER: 'catalog', NATS_PASSWORD: 'secret' };
  const link = await connectNats({ ...natsOptions(settings), service: 'catalog' });
  expect(link.connection.info?.tls_required).toBe(true);
  await link.close();
  await services.pop()?.kill();
});

test('a database that the authority did not sign for is not used, and a missing file is named', async () => {
  const other = join(certificates, 'server.pem');
  const nats = { NATS_URL: natsUrl(), NATS_TLS_CA: authority };
  const { announced } = listen();
  await startCatalog({ DATABASE_URL: encryptedUrl(other), ...nats });
  expect(await missing()).toContain('database');
  await announced(publishingFailed, ({ error }) => /certificate/.test(error));
  const absent = { DATABASE_URL: encryptedUrl(authority), ...nats, NATS_TLS_CA: '/no/such.pem' };
  await expect(startCatalog(absent)).rejects.toThrow(/NATS_TLS_CA: no such file/);
});
