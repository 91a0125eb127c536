import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { serviceNames } from '@app/contracts/services';
import { version } from '@app/contracts/version';
import { backUpPostgres } from '@app/embedded/postgres-backup';
import { openLockSession } from '@app/service-kit/lock-session';
import { readConnections } from '../connections.ts';
import { digestsOf, keepNewest, type Manifest, makeIn, manifestFile } from './backups.ts';
import { copyFiles } from './copy-files.ts';

export interface BackUpOptions {
  /** Of a running `npm start`. */
  readonly dataDir: string;
  readonly folder: string;
  /** How many backups stay in the folder. */
  readonly keep: number;
  readonly print: (line: string) => void;
}

/** Of this run alone, or made anew: streams are, from the outboxes, because consumers are further on than a backup of their databases. */
const isLeftOut = (name: string): boolean =>
  ['postgres', 'nats', 'connections.json', 'standalone.pid'].includes(name) ||
  /\.log(\.\d+)?$/.test(name) ||
  name.startsWith('standalone.pid.');

/** An email that is being written gets its name once it is whole, and may be gone a moment later under the name before. */
const isUnfinished = (name: string): boolean => name.endsWith('.part');

/**
 * Backs up all databases at one moment, and the secrets without which they cannot be read, while the platform runs.
 * @returns where the backup is
 * @throws Error where nothing runs on the directory, or anything could not be copied
 */
export async function backUp({ dataDir, folder, keep, print }: BackUpOptions): Promise<string> {
  const began = new Date();
  if (`${resolve(folder)}/`.startsWith(`${resolve(dataDir)}/`))
    throw new Error(`--to ${folder} is in DATA_DIR: a backup would hold all earlier ones. Name a folder elsewhere.`);
  const server = await superuserUrl(dataDir);
  const known = await stateOf(dataDir, server);
  const target = await makeIn(folder, began, async (unfinished) => {
    await backUpPostgres(server, join(dataDir, 'postgres'), join(unfinished, 'postgres'));
    for (const name of await readdir(dataDir))
      if (!isLeftOut(name)) await copyFiles(join(dataDir, name), join(unfinished, name), isUnfinished);
    const files = await digestsOf(unfinished, manifestFile);
    const times = { began_at: began.toISOString(), ended_at: new Date().toISOString() };
    const says: Manifest = { version, ...times, ...known, files };
    await writeFile(join(unfinished, manifestFile), `${JSON.stringify(says, null, 2)}\n`, { mode: 0o600, flush: true });
  });
  print(`backed up to ${target} in ${((Date.now() - began.getTime()) / 1_000).toFixed(1)} s`);
  for (const name of await keepNewest(folder, keep)) print(`removed ${name}: the newest ${keep} are kept`);
  return target;
}

/** The embedded server's: another one has backups of its own. */
async function superuserUrl(dataDir: string): Promise<string> {
  const url = new URL(readConnections(dataDir, 'gateway').DATABASE_URL);
  url.username = 'postgres';
  url.password = (
    await readFile(join(dataDir, 'postgres/superuser-password'), 'utf8').catch(() => notEmbedded())
  ).trim();
  url.pathname = '/postgres';
  return url.href;
}

function notEmbedded(): never {
  throw new Error('The databases are on a server of your own (POSTGRES_URL): back them up there, all at one moment.');
}

async function stateOf(dataDir: string, server: string): Promise<Pick<Manifest, 'transaction' | 'migrations'>> {
  const migrations: Manifest['migrations'] = {};
  for (const service of serviceNames)
    migrations[service] = await migrationsOf(readConnections(dataDir, service).DATABASE_URL);
  const [row] = await rowsOf<{ transaction: string }>(server, 'select pg_current_xact_id()::text as transaction');
  return { migrations, transaction: row?.transaction ?? '' };
}

export async function migrationsOf(url: string): Promise<string[]> {
  return (await rowsOf<{ name: string }>(url, 'select name from migrations order by id')).map(({ name }) => name);
}

export async function rowsOf<Row extends Record<string, unknown>>(url: string, sql: string): Promise<Row[]> {
  const session = await openLockSession({ connectionString: url, application_name: 'backup' });
  try {
    return (await session.client.query<Row>(sql)).rows;
  } finally {
    await session.close();
  }
}
