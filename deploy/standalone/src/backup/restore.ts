import { randomUUID } from 'node:crypto';
import { cp, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { databaseName, type ServiceName, serviceNames } from '@app/contracts/services';
import { databaseUrl } from '@app/embedded/databases';
import { startPostgres } from '@app/embedded/postgres';
import { restorePostgres } from '@app/embedded/postgres-backup';
import { restoredFile } from '../installation-id.ts';
import { readPrivate } from '../private-file.ts';
import { migrationsOf, rowsOf } from './back-up.ts';
import { digestsOf, inPlace, type Manifest, manifest, manifestFile, syncAll, unfinished } from './backups.ts';

export interface Restored {
  readonly from: string;
  readonly print: (line: string) => void;
}

/**
 * Makes a data directory of a backup, whole or not at all. What starts on it is a copy, until it is adopted.
 * @param dataDir is not there, or empty
 * @throws Error where the backup is none, or the directory has something in it
 */
export async function restore({ from, print }: Restored, dataDir: string): Promise<void> {
  if ((await readdir(dataDir).catch(() => [])).length > 0)
    throw new Error(`${dataDir} has something in it: move it away, or name another DATA_DIR.`);
  const says = await readWhole(from);
  const beside = `${dataDir}.unfinished`;
  await rm(beside, { recursive: true, force: true });
  await makeDirectory(from, beside);
  await syncAll(beside);
  await rm(dataDir, { recursive: true, force: true });
  await rename(beside, dataDir);
  print(`restored ${from} of ${says.began_at} (version ${says.version}) to ${dataDir}.`);
  print('Start it: as a copy it sends and charges nothing. Look at it, and make it the original with npm run adopt.');
}

/**
 * Compares each file of a backup with what the backup says of it, restores it into an empty place, starts PostgreSQL there and reads every row
 * of every table. Removes the place.
 * @throws Error naming what differs
 */
export async function verify({ from, print }: Restored): Promise<void> {
  const says = await readWhole(from);
  const folder = dirname(resolve(from));
  await inPlace(folder, join(folder, `.verify${unfinished}`), async (place) => {
    await makeDirectory(from, join(place, 'data'));
    const postgres = await startPostgres({ dataDir: join(place, 'data/postgres') });
    try {
      await compare(postgres.url, says, print);
    } finally {
      await postgres.stop();
    }
  });
  print(`${from} is whole: it holds all that was committed before ${says.began_at}.`);
}

async function makeDirectory(from: string, to: string): Promise<void> {
  await mkdir(to, { mode: 0o700 });
  for (const name of await readdir(from)) {
    if (name === 'postgres') await restorePostgres(join(from, name), join(to, name));
    else if (name !== manifestFile) await cp(join(from, name), join(to, name), { recursive: true });
  }
  // Another installation than that of the backup, also in the same place.
  await writeFile(join(to, restoredFile), `${randomUUID()}\n`, { mode: 0o600, flush: true });
}

/** What a backup says of itself, once each of its files is as it says. */
async function readWhole(from: string): Promise<Manifest> {
  const says = readPrivate(join(from, manifestFile), manifest, 'Take another backup.');
  if (says === undefined) throw new Error(`${from} is no backup: ${basename(manifestFile)} is missing.`);
  compareFiles(await digestsOf(from, manifestFile), says.files);
  return says;
}

function compareFiles(there: Manifest['files'], expected: Manifest['files']): void {
  const names = new Set([...Object.keys(there), ...Object.keys(expected)]);
  const other = [...names].find((name) => there[name] !== expected[name]);
  if (other !== undefined) throw new Error(`The file ${other} is not as the backup was written: take another backup.`);
}

async function compare(server: string, says: Manifest, print: Restored['print']): Promise<void> {
  const [reached] = await rowsOf<{ reached: boolean }>(
    server,
    `select pg_current_xact_id()::text::numeric > ${BigInt(says.transaction)} as reached`,
  );
  if (reached?.reached !== true) throw new Error('It lacks transactions that were committed before it was begun.');
  for (const service of serviceNames) {
    const url = databaseUrl(server, databaseName(service));
    const [there, expected] = [await migrationsOf(url), says.migrations[service] ?? []];
    if (JSON.stringify(there) !== JSON.stringify(expected))
      throw new Error(`${service}: the migrations are ${there.join(', ')}, and were ${expected.join(', ')}.`);
    print(`${service}: ${await readAll(url, service)}`);
  }
}

/** Every page of every table, each with its checksum. */
async function readAll(url: string, service: ServiceName): Promise<string> {
  const tables = await rowsOf<{ name: string }>(
    url,
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  let rows = 0n;
  for (const { name } of tables) {
    const [counted] = await rowsOf<{ rows: string }>(url, `select count(t.*)::text as rows from ${name} as t`);
    rows += BigInt(counted?.rows ?? 0);
  }
  if (tables.length === 0) throw new Error(`${service}: it has no tables.`);
  return `${tables.length} tables, ${rows} rows read`;
}
