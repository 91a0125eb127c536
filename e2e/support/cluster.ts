import { randomBytes } from 'node:crypto';
import { migrate as migrateAffiliate } from '@app/affiliate/migrate';
import { migrate as migrateBilling } from '@app/billing/migrate';
import { migrate as migrateCatalog } from '@app/catalog/migrate';
import { migrate as migrateCheckout } from '@app/checkout/migrate';
import { type ServiceName, serviceNames } from '@app/contracts/services';
import { freePort } from '@app/embedded/ports';
import { migrate as migrateGateway } from '@app/gateway/migrate';
import { migrate as migrateMetrics } from '@app/metrics/migrate';
import { type SpawnedNode, spawnNode } from '@app/testing/child-service';
import { createNatsServer, type TestNatsServer } from '@app/testing/nats';
import { createMigratedDatabase, type TestDatabase } from '@app/testing/postgres';
import { migrate as migrateDispatcher } from '@app/webhook-dispatcher/migrate';
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

export const platformKey = 'platform-key-of-the-tests-0123456789abcdef';

/** The platform as a company runs it: every service a process of its own. */
export interface Cluster {
  readonly baseUrl: string;
  readonly nats: TestNatsServer;
  databaseUrl(service: ServiceName): string;
  /** Starts one more process of a service. */
  spawn(service: ServiceName): Promise<SpawnedNode>;
  process(service: ServiceName): SpawnedNode;
  close(): Promise<void>;
}

/**
 * Starts all services, each on a database of its own. The stand-in receiver of tests listens on loopback, and the
 * rate limit is off: these tests are about other guarantees.
 * @param settings further ones, of all services or of each
 * @param postgres where the databases are; left out, on the server that all tests share
 */
export async function startCluster(
  settings: Record<string, string> | ((service: ServiceName) => Record<string, string>) = {},
  postgres?: OwnPostgres,
): Promise<Cluster> {
  const nats = await createNatsServer();
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
  const spawned: SpawnedNode[] = [];
  const spawn = async (service: ServiceName): Promise<SpawnedNode> => {
    const env = {
      DATABASE_URL: databaseUrl(service),
      ...nats.settings(service),
      LOG_LEVEL: 'warn',
      PORT: String(port),
      KEY_PEPPER: secret,
      PLATFORM_KEY: platformKey,
      SECRETS_KEY: secret,
      RATE_LIMIT_PER_MINUTE: '0',
      WEBHOOKS_ALLOW_LOOPBACK: 'enabled',
      ...(typeof settings === 'function' ? settings(service) : settings),
    };
    const child = await spawnNode(`services/${service}/src/main.ts`, env, {
      readyLine: new RegExp(`^${service} ready`),
      readyWithinMs: 200_000,
    });
    spawned.push(child);
    return child;
  };
  const processes = new Map<ServiceName, SpawnedNode>();
  await Promise.all(serviceNames.map(async (service) => processes.set(service, await spawn(service))));
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    nats,
    databaseUrl,
    spawn,
    process: (service) => processes.get(service) as SpawnedNode,
    close: async () => {
      await Promise.all(spawned.map((child) => child.kill('SIGKILL')));
      await nats.close();
      await Promise.all([...databases.values()].map((database) => database.close()));
    },
  };
}

/** Closed with its server. */
async function ownDatabase(postgres: OwnPostgres, service: ServiceName): Promise<Pick<TestDatabase, 'url' | 'close'>> {
  const url = await postgres.createDatabase(service.replaceAll('-', '_'), migrations[service]);
  return { url, close: async () => undefined };
}
