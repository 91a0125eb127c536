import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { migrate as migrateAffiliate } from '@app/affiliate/migrate';
import { migrate as migrateBilling } from '@app/billing/migrate';
import { migrate as migrateCatalog } from '@app/catalog/migrate';
import { migrate as migrateCheckout } from '@app/checkout/migrate';
import { type ServiceName, serviceNames } from '@app/contracts/services';
import { freePort } from '@app/embedded/ports';
import { migrate as migrateGateway } from '@app/gateway/migrate';
import { migrate as migrateMetrics } from '@app/metrics/migrate';
import { type SpawnedNode, spawnNode } from '@app/testing/child-service';
import { createNatsServer, type TestNats, type TestNatsServer } from '@app/testing/nats';
import { createMigratedDatabase, type TestDatabase } from '@app/testing/postgres';
import { migrate as migrateDispatcher } from '@app/webhook-dispatcher/migrate';
import { otlpAsJson } from './collector.ts';
import type { OwnPostgres } from './own-postgres.ts';

const migrations: Record<ServiceName, (url: string) => Promise<unknown>> = {
  gateway: migrateGateway,
  catalog: migrateCatalog,
  checkout: migrateCheckout,
  billing: migrateBilling,
  affiliate: migrateAffiliate,
  metrics: migrateMetrics,
  'webhook-dispatcher': migrateDispatcher,
};

/** Letters and reminders are files there, for every cluster of this process that says nothing else. */
const emailFiles = mkdtempSync(join(tmpdir(), 'funnelry-emails-'));
process.once('exit', () => rmSync(emailFiles, { recursive: true, force: true }));

export const platformKey = 'platform-key-of-the-tests-0123456789abcdef';

/** The platform as a company runs it: services as processes. */
export interface Cluster<Nats extends TestNats = TestNatsServer> {
  readonly baseUrl: string;
  readonly nats: Nats;
  databaseUrl(service: ServiceName): string;
  /** Starts one more process of a service. */
  spawn(service: ServiceName): Promise<SpawnedNode>;
  /** Runs a command of the service, as its operator does. @returns what it printed @throws when it fails */
  command(service: ServiceName, ...args: readonly string[]): Promise<string>;
  /** The process that the service runs in. */
  process(service: ServiceName): SpawnedNode;
  close(): Promise<void>;
}

export interface ClusterOptions {
  /** Further ones, of all services or of each. */
  readonly settings?: Record<string, string> | ((service: ServiceName) => Record<string, string>);
  /** The folder of letters and reminders. Automations write no files there: they are in no folder of the tests that look for these. */
  readonly emails?: string;
  /** Where the databases are; left out, on the server that all tests share. */
  readonly postgres?: Pick<OwnPostgres, 'createDatabase'>;
  /** The services with a process of their own; all others share one, which costs as much as one of them. Left out: all. */
  readonly apart?: readonly ServiceName[];
}

/**
 * Starts all services, each on a database of its own. The stand-in receiver of tests listens on loopback, and the
 * rate limit is off: these tests are about other guarantees.
 */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  return await startClusterOn(await createNatsServer(), options);
}

/** The same on a nats-server, or an account of one, that the cluster closes. */
export async function startClusterOn<Nats extends TestNats>(
  nats: Nats,
  { settings = {}, emails = emailFiles, postgres, apart = serviceNames }: ClusterOptions = {},
): Promise<Cluster<Nats>> {
  const databases = new Map<ServiceName, Pick<TestDatabase, 'url' | 'close'>>();
  const create = async (service: ServiceName): Promise<void> => {
    const own =
      postgres === undefined ? createMigratedDatabase(service, migrations[service]) : ownDatabase(postgres, service);
    databases.set(service, await own);
  };
  await Promise.all(serviceNames.map(create));
  const port = await freePort();
  const secret = randomBytes(32).toString('hex');
  const databaseUrl = (service: ServiceName): string => databases.get(service)?.url ?? '';
  const settingsOf = (service: ServiceName): Record<string, string> => ({
    DATABASE_URL: databaseUrl(service),
    ...nats.settings(service),
    LOG_LEVEL: 'warn',
    PORT: String(port),
    KEY_PEPPER: secret,
    PLATFORM_KEY: platformKey,
    ...(service !== 'webhook-dispatcher' && { EMAIL_DIR: emails }),
    SECRETS_KEY: secret,
    RATE_LIMIT_PER_MINUTE: '0',
    WEBHOOKS_ALLOW_LOOPBACK: 'enabled',
    WEBHOOKS_PER_SECOND: '1000000',
    SIMULATED_PROCESSOR: 'default',
    ...(typeof settings === 'function' ? settings(service) : settings),
  });
  const spawned: SpawnedNode[] = [];
  const spawnOne = async (entry: string, env: Record<string, string>, readyLine: RegExp): Promise<SpawnedNode> => {
    const child = await spawnNode(entry, env, { readyLine, readyWithinMs: 200_000 });
    spawned.push(child);
    return child;
  };
  const spawn = (service: ServiceName): Promise<SpawnedNode> =>
    spawnOne(`services/${service}/src/main.ts`, settingsOf(service), new RegExp(`^${service} ready`));
  const spawnTogether = (services: readonly ServiceName[]): Promise<SpawnedNode> => {
    const settings = Object.fromEntries(services.map((service) => [service, settingsOf(service)]));
    // What Node itself reads.
    const { NODE_OPTIONS = '', CLOCK_OFFSET_FILE = '' } = settingsOf(services[0] as ServiceName);
    const env = { SERVICES: JSON.stringify(settings), NODE_OPTIONS, CLOCK_OFFSET_FILE, ...otlpAsJson };
    return spawnOne('e2e/support/services-process.ts', env, /^services ready/);
  };
  const together = serviceNames.filter((service) => !apart.includes(service));
  const processes = new Map<ServiceName, SpawnedNode>();
  const starts = apart.map(async (service) => void processes.set(service, await spawn(service)));
  if (together.length > 0) {
    const child = await spawnTogether(together);
    for (const service of together) processes.set(service, child);
  }
  await Promise.all(starts);
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    nats,
    databaseUrl,
    spawn,
    command: async (service, ...args) => {
      const env = { PATH: process.env.PATH, ...settingsOf(service) };
      const { stdout } = await promisify(execFile)(process.execPath, [`services/${service}/src/main.ts`, ...args], {
        env,
      });
      return stdout;
    },
    process: (service) => processes.get(service) as SpawnedNode,
    close: async () => {
      await Promise.all(spawned.map((child) => child.kill('SIGKILL')));
      await nats.close();
      await Promise.all([...databases.values()].map((database) => database.close()));
    },
  };
}

/** Closed with its server. */
async function ownDatabase(
  postgres: Pick<OwnPostgres, 'createDatabase'>,
  service: ServiceName,
): Promise<Pick<TestDatabase, 'url' | 'close'>> {
  const url = await postgres.createDatabase(service.replaceAll('-', '_'), migrations[service]);
  return { url, close: async () => undefined };
}
