import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findNatsServer, startNatsServer } from '@app/embedded/nats-server';
import { type RunningPostgres, startPostgres } from '@app/embedded/postgres';
import { connectNats } from '@app/messaging/connect';
import { startKeeper } from '@app/messaging/keeper';
import { natsNames, natsPasswordVariable, natsUsersConfig } from '@app/messaging/nats-config';
import { silentLogger } from '@app/service-kit/logger';
import pg from 'pg';
import type { NatsConfiguration } from './options.ts';

/** The servers that the floor and the platform share. */
export interface Infra {
  readonly directory: string;
  readonly postgres: { readonly url: string; readonly pid: number };
  readonly nats: {
    readonly url: string;
    readonly pid: number;
    /** Settings of the platform: a password for each service's user. */
    readonly platform: Record<string, string>;
    /** Settings of the floor, whose user may do anything. */
    readonly floor: { readonly NATS_USER: string; readonly NATS_PASSWORD: string };
    /** Reads the lag of the streams. */
    readonly observer: { readonly user: string; readonly pass: string };
  };
  readonly versions: { readonly postgres: string; readonly nats: string };
}

/** Seven services with a pool each, their listening connections, and the floor's sixteen. */
const maxConnections = 200;

/** A new directory that goes when the bench ends, however it ends. */
export function createDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'funnelry-bench-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  return directory;
}

const password = 'bench-password';
const observer = { user: 'observer', pass: password };
const floor = { NATS_USER: 'floor', NATS_PASSWORD: password };

/**
 * The users and permissions of every deployment, and two users more. Without them nothing is measured: permissions cost
 * nats-server work for every message.
 */
const usersConfig = natsUsersConfig(() => JSON.stringify(password), {
  observers: {
    services: { user: floor.NATS_USER, password: JSON.stringify(password) },
    streams: { user: observer.user, password: JSON.stringify(password) },
  },
});

/**
 * docker compose's file with these two users in it. Ports and directory are the bench's own; passwords come from the
 * environment, as they do there.
 */
function composeConfig(): string {
  for (const name of natsNames) process.env[natsPasswordVariable(name)] = password;
  const text = readFileSync(new URL('../deploy/nats/nats.conf', import.meta.url), 'utf8');
  const add = (account: string, name: string) => (config: string) =>
    config.replace(
      new RegExp(`( ${account}: \\{[^[]*users: \\[)`),
      `$1\n    { user: "${name}", password: "${password}" }`,
    );
  const own = text.replaceAll(/^(port|http_port|jetstream)\b.*$/gm, '');
  return add('APP', floor.NATS_USER)(add('STREAMS', observer.user)(own));
}

/** A durable PostgreSQL and a nats-server with the settings of `npm start`, on free ports. */
export async function startInfra(
  directory: string,
  stack: AsyncDisposableStack,
  configuration: NatsConfiguration,
): Promise<Infra> {
  const log = (line: string) => console.log(`  ${line}`);
  const binary = await findNatsServer({ env: process.env, install: true, log });
  const postgres = await startDatabase(join(directory, 'postgres'), log);
  stack.defer(() => postgres.stop());
  const configFile = join(directory, 'nats.conf');
  writeFileSync(configFile, configuration === 'compose' ? composeConfig() : usersConfig);
  const nats = await startNatsServer({ binary, dataDir: join(directory, 'nats'), configFile, log });
  stack.defer(() => nats.stop());
  const link = await connectNats({ url: nats.url, service: 'keeper', user: 'keeper', password });
  stack.defer(() => link.close());
  const keeper = await startKeeper({ nats: link, logger: silentLogger() });
  stack.defer(() => keeper.close());
  await keeper.begun;
  return {
    directory,
    postgres,
    nats: {
      url: nats.url,
      pid: nats.pid,
      platform: Object.fromEntries(natsNames.map((name) => [natsPasswordVariable(name), password])),
      floor,
      observer,
    },
    versions: { postgres: await postgresVersion(postgres.url), nats: natsVersion(binary) },
  };
}

/** With one setting more than `npm start` gives it: PostgreSQL keeps when each transaction was committed. */
async function startDatabase(dataDir: string, log: (line: string) => void): Promise<RunningPostgres> {
  const options = { dataDir, durable: true, maxConnections };
  const first = await startPostgres(options);
  await queryOne(first.url, 'alter system set track_commit_timestamp = on');
  await first.stop();
  return await startPostgres({ ...options, log });
}

async function postgresVersion(url: string): Promise<string> {
  const [row] = await queryOne<{ server_version: string }>(url, 'show server_version');
  return row?.server_version ?? 'unknown';
}

async function queryOne<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

function natsVersion(binary: string): string {
  if (binary.startsWith('docker:')) return binary;
  return execFileSync(binary, ['--version'], { encoding: 'utf8' }).trim().replace('nats-server: ', '');
}
