import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serviceNames } from '@app/contracts/services';
import { findNatsServer, startNatsServer } from '@app/embedded/nats-server';
import { type RunningPostgres, startPostgres } from '@app/embedded/postgres';
import { natsPasswordVariable, natsUsersConfig } from '@app/messaging/permissions';
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
const floor = { NATS_USER: 'floor', NATS_PASSWORD: password };

/**
 * The users and permissions of every deployment, and one user more. Without them nothing is measured: permissions cost
 * nats-server work for every message.
 */
const usersConfig = natsUsersConfig(
  () => JSON.stringify(password),
  [{ user: floor.NATS_USER, password: JSON.stringify(floor.NATS_PASSWORD) }],
);

/**
 * docker compose's file with the floor's user in it. Ports and directory are the bench's own; passwords come from the
 * environment, as they do there.
 */
function composeConfig(): string {
  for (const service of serviceNames) process.env[natsPasswordVariable(service)] = password;
  const text = readFileSync(new URL('../deploy/nats/nats.conf', import.meta.url), 'utf8');
  const user = `{ user: "${floor.NATS_USER}", password: "${floor.NATS_PASSWORD}" }`;
  return text.replaceAll(/^(port|http_port|jetstream)\b.*$/gm, '').replace('users: [', `users: [\n    ${user}`);
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
  return {
    directory,
    postgres,
    nats: {
      url: nats.url,
      pid: nats.pid,
      platform: Object.fromEntries(serviceNames.map((service) => [natsPasswordVariable(service), password])),
      floor,
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
