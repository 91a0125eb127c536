import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ServiceName, serviceNames } from '@app/contracts/services';
import { databaseUrl, ensureDatabases } from '@app/embedded/databases';
import { findNatsServer, startNatsServer } from '@app/embedded/nats-server';
import { startPostgres } from '@app/embedded/postgres';
import { natsPasswordVariable, natsUsersConfig } from '@app/messaging/permissions';
import type { Lifetime } from '@app/service-kit/lifetime';
import type { StandaloneConfig } from './config.ts';
import type { Secrets } from './secrets.ts';

export interface Infrastructure {
  readonly natsUrl: string;
  /** Empty for an existing server without a user for each service. */
  natsUser(service: ServiceName): { NATS_USER?: string; NATS_PASSWORD?: string };
  databaseUrl(service: ServiceName): string;
}

export const databaseName = (service: ServiceName): string => service.replaceAll('-', '_');

/** Starts PostgreSQL and nats-server side by side, unless the settings name existing ones, and makes the databases. */
export async function startInfrastructure(
  config: StandaloneConfig,
  secrets: Secrets,
  lifetime: Lifetime,
  say: (line: string) => void,
): Promise<Infrastructure> {
  const [adminUrl, natsUrl] = await Promise.all([
    openPostgres(config, lifetime, say),
    openNats(config, secrets, lifetime, say),
  ]);
  const password = secrets.databasePassword;
  const databases = serviceNames.map((service) => ({
    database: databaseName(service),
    user: databaseName(service),
    password,
  }));
  await ensureDatabases(adminUrl, databases);
  return {
    natsUrl,
    natsUser: (service) => {
      const own = config.NATS_URL === undefined ? secrets.natsPassword : config[natsPasswordVariable(service)];
      return own === undefined ? {} : { NATS_USER: service, NATS_PASSWORD: own };
    },
    databaseUrl: (service) => databaseUrl(adminUrl, databaseName(service), databaseName(service), password),
  };
}

async function openPostgres(
  config: StandaloneConfig,
  lifetime: Lifetime,
  say: (line: string) => void,
): Promise<string> {
  if (config.POSTGRES_URL !== undefined) return config.POSTGRES_URL;
  say('PostgreSQL …');
  // Seven pools of 10, seven relays and migrations, and room for the owner's own psql.
  const postgres = await startPostgres({ dataDir: join(config.DATA_DIR, 'postgres'), maxConnections: 150 });
  lifetime.add('PostgreSQL', postgres, (server) => server.stop());
  say(`PostgreSQL on 127.0.0.1:${postgres.port}`);
  return postgres.url;
}

async function openNats(
  config: StandaloneConfig,
  secrets: Secrets,
  lifetime: Lifetime,
  say: (line: string) => void,
): Promise<string> {
  if (config.NATS_URL !== undefined) return config.NATS_URL;
  say('nats-server …');
  const binary = await findNatsServer({ env: process.env, install: true, log: say });
  const configFile = join(config.DATA_DIR, 'nats.conf');
  writeFileSync(
    configFile,
    natsUsersConfig(() => JSON.stringify(secrets.natsPassword)),
    { mode: 0o600 },
  );
  const nats = await startNatsServer({ binary, dataDir: join(config.DATA_DIR, 'nats'), configFile });
  lifetime.add('nats-server', nats, (server) => server.stop());
  say(`nats-server on 127.0.0.1:${nats.port}`);
  return nats.url;
}
