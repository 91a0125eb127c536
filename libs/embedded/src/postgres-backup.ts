import { randomBytes } from 'node:crypto';
import { chownSync, constants } from 'node:fs';
import { copyFile, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { postgresAccount } from './postgres-account.ts';
import { findPostgresBinaries } from './postgres-binaries.ts';

/*
 * A base backup of a running server by PostgreSQL's low-level interface, because the embedded server comes without pg_basebackup:
 * https://www.postgresql.org/docs/18/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP
 */

/** What the server makes anew at its start, or what would tell it that it is still running. Folders stay, empty. */
const emptied = new Set([
  ...['pg_dynshmem', 'pg_notify', 'pg_replslot', 'pg_serial', 'pg_snapshots', 'pg_stat_tmp', 'pg_subtrans', 'pg_wal'],
]);
const isLeftOut = (name: string): boolean =>
  /^(postmaster\.(pid|opts)|pg_internal\.init.*|pgsql_tmp.*|current_logfiles.*|pg_control)$/.test(name);

const controlFile = join('global', 'pg_control');

/**
 * Copies all databases of a running server as they are at one moment: the end of the copy.
 * @param server its URL, of the superuser
 * @param dataDir as `startPostgres` has it
 * @param target is not there yet; becomes such a directory, which is on the disk only once its caller has synced it
 * @throws Error when anything could not be copied; what is in the target then is no backup
 */
export async function backUpPostgres(server: string, dataDir: string, target: string): Promise<void> {
  const [from, to] = [join(dataDir, 'cluster'), join(target, 'cluster')];
  await mkdir(target, { mode: 0o700 });
  const client = new pg.Client({ connectionString: server, application_name: 'backup' });
  let lost: Error | undefined;
  client.on('error', (err) => {
    lost = err;
  });
  // The copy ends with the session, and not after what follows from it: nothing is written to the target any more once this has failed.
  const goOn = (): void => {
    if (lost !== undefined) throw new Error(`the server has ended the backup: ${lost.message}`);
  };
  await client.connect();
  try {
    // The log from here on is kept for as long as this session lives.
    const slot = `backup_${randomBytes(6).toString('hex')}`;
    await client.query('select pg_create_physical_replication_slot($1, true, true)', [slot]);
    const { rows: began } = await client.query<{ segment: string }>(
      `select pg_walfile_name(pg_backup_start('backup', true)) as segment`,
    );
    await copyFolder(from, to, { goOn });
    const { rows: ended } = await client.query<{ labelfile: string; spcmapfile: string }>(
      'select labelfile, spcmapfile from pg_backup_stop(false)',
    );
    await copyLog(from, to, began[0]?.segment ?? '');
    // Last: with it a copy looks whole.
    await copyNew(join(from, controlFile), join(to, controlFile));
    await writeNew(join(to, 'backup_label'), ended[0]?.labelfile ?? '');
    const tablespaces = ended[0]?.spcmapfile ?? '';
    if (tablespaces !== '') await writeNew(join(to, 'tablespace_map'), tablespaces);
  } finally {
    await client.end().catch(() => undefined);
  }
  await copyNew(join(dataDir, 'superuser-password'), join(target, 'superuser-password'));
}

/** Makes a directory for `startPostgres` of a backup. @param to is not there yet, and not on the disk before its caller has synced it */
export async function restorePostgres(from: string, to: string): Promise<void> {
  await copyFolder(from, to, { whole: true });
  const account = postgresAccount([join(to, 'cluster'), findPostgresBinaries().postgres]);
  if (account !== undefined) await giveTo(to, account);
}

/** A file that goes away while the server runs is one that the log removes too. */
async function copyFolder(from: string, to: string, { whole = false, goOn = () => {} } = {}): Promise<void> {
  await mkdir(to, { mode: 0o700 });
  for (const entry of await readdir(from, { withFileTypes: true }).catch(missing)) {
    goOn();
    const [source, copy] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isSymbolicLink()) throw new Error(`${source} is a link: tablespaces elsewhere are not backed up`);
    if (!whole && isLeftOut(entry.name)) continue;
    if (!entry.isDirectory()) await copyNew(source, copy).catch((err: unknown) => stillThere(source, err));
    else if (!whole && emptied.has(entry.name)) await mkdir(copy, { mode: 0o700 });
    else await copyFolder(source, copy, { whole, goOn });
  }
}

function missing(err: NodeJS.ErrnoException): never[] {
  if (err.code === 'ENOENT') return [];
  throw err;
}

/** That the target is gone is no file that the server removed. */
async function stillThere(source: string, err: unknown): Promise<void> {
  const isGone = await stat(source).then(
    () => false,
    (found: NodeJS.ErrnoException) => found.code === 'ENOENT',
  );
  if (!isGone) throw err;
}

/** The segments that the copied files need to become one moment. @param first the name of the first of them; they are in order */
async function copyLog(from: string, to: string, first: string): Promise<void> {
  const segments = (await readdir(join(from, 'pg_wal'))).filter((name) => /^[0-9A-F]{24}$/.test(name) && name >= first);
  if (segments.length === 0 || !segments.includes(first))
    throw new Error(`the log from ${first} on is not there any more`);
  for (const folder of ['archive_status', 'summaries']) await mkdir(join(to, 'pg_wal', folder), { mode: 0o700 });
  for (const name of segments) await copyNew(join(from, 'pg_wal', name), join(to, 'pg_wal', name));
}

const copyNew = (from: string, to: string): Promise<void> => copyFile(from, to, constants.COPYFILE_EXCL);

const writeNew = (path: string, text: string): Promise<void> => writeFile(path, text, { mode: 0o600, flag: 'wx' });

async function giveTo(path: string, account: { uid: number; gid: number }): Promise<void> {
  chownSync(path, account.uid, account.gid);
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (entry.isDirectory()) await giveTo(join(path, entry.name), account);
    else chownSync(join(path, entry.name), account.uid, account.gid);
  }
}
