import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { databaseName, type ServiceName, serviceNames } from '@app/contracts/services';
import { databaseUrl, ensureDatabases } from '@app/embedded/databases';
import { fullDisk } from '@app/embedded/free-space';
import { keepRunning } from '@app/embedded/keep-running';
import { findNatsServer, startNatsServer } from '@app/embedded/nats-server';
import { startPostgres } from '@app/embedded/postgres';
import { connectNats } from '@app/messaging/connect';
import { startKeeper } from '@app/messaging/keeper';
import { type NatsName, natsPasswordVariable, natsUsersConfig, streamsAccount } from '@app/messaging/nats-config';
import { LogFile } from '@app/service-kit/log-file';
import type { Logger } from '@app/service-kit/logger';
import type { ResourceStack } from '@app/service-kit/resource-stack';
import type { StandaloneConfig } from './config.ts';
import { type Secrets, servicePassword } from './secrets.ts';

export interface Infrastructure {
  readonly natsUrl: string;
  natsUser(name: NatsName): { NATS_USER: string; NATS_PASSWORD: string };
  databaseUrl(service: ServiceName): string;
  /** Resolves when the service's database is there. */
  databaseReady(service: ServiceName): Promise<void>;
  /** After the disk was full: nats-server 2.9 may hang for good since, without a word. */
  renewNats(): Promise<void>;
}

export interface Surroundings {
  readonly config: StandaloneConfig;
  readonly secrets: Secrets;
  readonly resources: ResourceStack;
  readonly logger: Logger;
  /** A line about the start, for the operator. */
  readonly say: (line: string) => void;
  /** A line about something that happened to a running platform, for the operator and for the log. */
  readonly announce: (line: string) => void;
}

/** They say little: five files of this size are months. */
const serverLogBytes = 2 * 1_048_576;

/**
 * Starts PostgreSQL and nats-server side by side, unless the settings name existing ones, and begins to make the databases.
 * The servers are started again whenever they end.
 */
export async function startInfrastructure(surroundings: Surroundings): Promise<Infrastructure> {
  const { secrets } = surroundings;
  const [adminUrl, { natsUrl, renewNats }] = await Promise.all([openPostgres(surroundings), openStreams(surroundings)]);
  const passwordOf = (service: ServiceName): string => servicePassword(secrets, 'postgres', service);
  const databaseReady = makeDatabases(adminUrl, passwordOf);
  return {
    natsUrl,
    renewNats,
    natsUser: (name) => ({ NATS_USER: name, NATS_PASSWORD: natsPasswordOf(surroundings, name) }),
    databaseUrl: (service) => databaseUrl(adminUrl, databaseName(service), databaseName(service), passwordOf(service)),
    databaseReady,
  };
}

const others = serviceNames.filter((name) => name !== 'webhook-dispatcher' && name !== 'gateway');

/** The webhook dispatcher first: its start takes longest. The gateway last: it has most code, and waits for the others anyway. */
export const startOrder: readonly ServiceName[] = ['webhook-dispatcher', ...others, 'gateway'];
/** The gateway registers its routes while the others wait for PostgreSQL. */
const databaseOrder: readonly ServiceName[] = ['webhook-dispatcher', 'gateway', ...others];

/** @returns what resolves when a service has its database */
function makeDatabases(
  adminUrl: string,
  passwordOf: (service: ServiceName) => string,
): Infrastructure['databaseReady'] {
  const databases = databaseOrder.map((service) => {
    const name = databaseName(service);
    return { database: name, user: name, password: passwordOf(service) };
  });
  const ready = new Map(databases.map(({ database }) => [database, Promise.withResolvers<void>()]));
  const made = ensureDatabases(adminUrl, databases, (database) => ready.get(database)?.resolve());
  // The start of each service fails with it, which may not have begun yet.
  made.catch(() => undefined);
  return async (service) => await Promise.race([ready.get(databaseName(service))?.promise, made]);
}

async function openPostgres({ config, resources, say, announce }: Surroundings): Promise<string> {
  if (config.POSTGRES_URL !== undefined) return config.POSTGRES_URL;
  say('PostgreSQL …');
  const name = 'PostgreSQL';
  const dataDir = join(config.DATA_DIR, 'postgres');
  const serverLog = openLog(join(config.DATA_DIR, 'postgres.log'), name, resources, announce);
  // Seven pools of 10, seven relays and migrations, and room for the owner's own psql.
  const options = { dataDir, maxConnections: 150, serverLog, avoidPort: config.PORT };
  const postgres = await startPostgres(options);
  const restart = () => startPostgres({ ...options, port: postgres.port });
  const obstacle = () => fullDisk(config.DATA_DIR);
  resources.add(name, keepRunning(postgres, { name, restart, obstacle, say: announce }), (kept) => kept.stop());
  say(`PostgreSQL on 127.0.0.1:${postgres.port}`);
  return postgres.url;
}

/** `readConfig` has required the passwords of an existing server. */
const natsPasswordOf = ({ config, secrets }: Surroundings, name: NatsName): string =>
  config.NATS_URL === undefined ? servicePassword(secrets, 'nats', name) : (config[natsPasswordVariable(name)] ?? '');

/** Of a server that is not ours: the reasons why a look at its streams fails where its configuration is another. */
const otherConfiguration =
  'Install the configuration that `node deploy/nats/write-config.ts` writes (deploy/README.md, NATS of your own).';

/** nats-server, and the keeper of its streams, which it takes before any service. */
async function openStreams(surroundings: Surroundings): ReturnType<typeof openNats> {
  const { config, resources, logger } = surroundings;
  const opened = await openNats(surroundings);
  const link = await connectNats({
    url: opened.natsUrl,
    service: 'keeper',
    user: 'keeper',
    password: natsPasswordOf(surroundings, 'keeper'),
    logger,
  }).catch((err: Error) => {
    throw new Error(`${opened.natsUrl} does not let the user keeper in: ${err.message}. ${otherConfiguration}`);
  });
  const nats = resources.add('NATS of the keeper', link, (client) => client.close());
  const { STREAM_REPLICAS: streamReplicas, STREAM_MAX_BYTES: streamMaxBytes } = config;
  const started = await startKeeper({
    nats,
    logger: logger.child({ keeper: 'streams' }),
    streamReplicas,
    streamMaxBytes,
  });
  const keeper = resources.add('keeper', started, (running) => running.close());
  // A server of our own may be slow or short of room; it is tried again.
  if (config.NATS_URL === undefined) return opened;
  await keeper.begun.catch((err: Error) => {
    throw new Error(`${opened.natsUrl} has not the accounts of this platform: ${err.message}. ${otherConfiguration}`);
  });
  return opened;
}

/** Until 0.2.0 the streams lay in the server's one account. Nothing runs on them yet; those of a later run are newer. */
function moveStreams(dataDir: string): void {
  const [before, now] = ['$G', streamsAccount].map((account) => join(dataDir, 'jetstream', account)) as [
    string,
    string,
  ];
  if (!existsSync(before)) return;
  if (existsSync(now)) renameSync(now, `${now}.before-${Date.now()}`);
  renameSync(before, now);
}

async function openNats({
  config,
  secrets,
  resources,
  say,
  announce,
}: Surroundings): Promise<Pick<Infrastructure, 'natsUrl' | 'renewNats'>> {
  if (config.NATS_URL !== undefined) return { natsUrl: config.NATS_URL, renewNats: async () => undefined };
  say('nats-server …');
  const name = 'nats-server';
  const binary = await findNatsServer({ env: process.env, install: true, log: say });
  const configFile = join(config.DATA_DIR, 'nats.conf');
  writeFileSync(
    configFile,
    natsUsersConfig((name) => JSON.stringify(servicePassword(secrets, 'nats', name))),
    { mode: 0o600 },
  );
  const serverLog = openLog(join(config.DATA_DIR, 'nats-server.log'), name, resources, announce);
  const dataDir = join(config.DATA_DIR, 'nats');
  const options = { binary, dataDir, configFile, serverLog, avoidPort: config.PORT };
  const nats = await startNatsServer({ ...options, beforeStart: () => moveStreams(dataDir) });
  const restart = () => startNatsServer({ ...options, port: nats.port });
  const obstacle = () => fullDisk(config.DATA_DIR);
  const kept = keepRunning(nats, { name, restart, obstacle, say: announce });
  resources.add(name, kept, (running) => running.stop());
  say(`nats-server on 127.0.0.1:${nats.port}`);
  return { natsUrl: nats.url, renewNats: () => kept.renew() };
}

/** A server's own log, bounded like ours. */
function openLog(
  destination: string,
  server: string,
  resources: ResourceStack,
  warn: (line: string) => void,
): (text: string) => void {
  const file = new LogFile({ destination, bytesMax: serverLogBytes, warn });
  resources.add(`log of ${server}`, file, (opened) => opened.close());
  return (text) => file.write(text);
}
