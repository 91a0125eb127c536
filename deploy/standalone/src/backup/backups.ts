import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { serviceNames } from '@app/contracts/services';
import { z } from 'zod';
import { lockFile } from '../lock.ts';

/** What a backup says of itself, in `backup.json`. */
export const manifest = z.object({
  version: z.string(),
  /** All that was committed before is in it. */
  began_at: z.string(),
  ended_at: z.string(),
  /** The number of the last transaction that had begun before the backup. */
  transaction: z.string(),
  /** By the path in the backup, the SHA-256 of each file, in base64. */
  files: z.record(z.string(), z.string()),
  /** By service the migrations of its database. */
  migrations: z.partialRecord(z.enum(serviceNames), z.array(z.string())),
});
export type Manifest = z.output<typeof manifest>;
export const manifestFile = 'backup.json';

const named = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;
export const unfinished = '.unfinished';

/** Beside the data unless another folder is named: a copy on the same disk is lost with it. */
export const folderBeside = (dataDir: string): string =>
  join(dirname(dataDir), `${basename(dataDir).replace(/^\./, '')}-backups`);

/**
 * Makes a backup in a folder of its own, named by the time. It has that name once it is whole and on the disk. What fails leaves nothing, because
 * it may have filled the disk; what was killed is removed by the next one.
 * @returns where it is
 * @throws what `make` throws, and Error where another process works in the folder
 */
export async function makeIn(folder: string, now: Date, make: (target: string) => Promise<void>): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const target = join(folder, now.toISOString().replace(/[-:]|\.\d+/g, ''));
  return await inPlace(folder, `${target}${unfinished}`, async (place) => {
    await make(place);
    await syncAll(place);
    await rename(place, target);
    await syncPath(folder);
    return target;
  });
}

/**
 * Works in a place that is removed whatever comes of it; one process at a time in a folder, so that none removes what another one makes.
 * @param place in the folder, named so that it is known as left over where the process is killed
 */
export async function inPlace<T>(folder: string, place: string, work: (place: string) => Promise<T>): Promise<T> {
  const lock = lockFile(
    join(folder, '.backup.pid'),
    (pid) => `Process ${pid} backs up or verifies in ${folder}: wait for it.`,
  );
  try {
    for (const name of await readdir(folder))
      if (name.endsWith(unfinished)) await rm(join(folder, name), { recursive: true, force: true });
    await mkdir(place, { mode: 0o700 });
    return await work(place);
  } finally {
    // What cannot be removed now is by the next one, and hides no error of the work.
    await rm(place, { recursive: true, force: true }).catch(() => undefined);
    lock.release();
  }
}

/** When a backup with this name was made; undefined where it is none. */
export function takenAt(name: string): Date | undefined {
  const [, year, month, day, hours, minutes, seconds] = named.exec(name) ?? [];
  return year === undefined ? undefined : new Date(`${year}-${month}-${day}T${hours}:${minutes}:${seconds}Z`);
}

/** Removes all but the newest. @returns their names */
export async function keepNewest(folder: string, count: number): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => named.test(name)).toSorted();
  const old = names.slice(0, Math.max(0, names.length - count));
  for (const name of old) await rm(join(folder, name), { recursive: true });
  return old;
}

/** By the path of each file in the folder its SHA-256. @param leftOut a path */
export async function digestsOf(folder: string, leftOut: string): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = relative(folder, path);
    if (!entry.isFile() || name === leftOut) continue;
    const hash = createHash('sha256');
    await pipeline(createReadStream(path), hash);
    digests[name] = hash.digest('base64');
  }
  return digests;
}

/** Files that are synced at once share a commit of the file system's journal: one after the other, thousands take minutes on a busy disk. */
const syncedAtOnce = 64;

/** All that is in a folder, to the disk. */
export async function syncAll(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const paths = entries
    .filter((entry) => entry.isFile() || entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
  for (let at = 0; at < paths.length; at += syncedAtOnce)
    await Promise.all(paths.slice(at, at + syncedAtOnce).map(syncPath));
  await syncPath(folder);
}

async function syncPath(path: string): Promise<void> {
  const opened = await open(path, 'r');
  await opened.sync().finally(() => opened.close());
}
