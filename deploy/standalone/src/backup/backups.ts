import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { serviceNames } from '@app/contracts/services';
import { z } from 'zod';

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
const unfinished = '.unfinished';

/** Beside the data unless another folder is named: a copy on the same disk is lost with it. */
export const folderBeside = (dataDir: string): string =>
  join(dirname(dataDir), `${basename(dataDir).replace(/^\./, '')}-backups`);

/**
 * Makes a backup in a folder of its own, named by the time. It has that name once it is whole and on the disk: what was cut off before is
 * removed by the next one.
 * @returns where it is
 */
export async function makeIn(folder: string, now: Date, make: (target: string) => Promise<void>): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder)) {
    if (name.endsWith(unfinished)) await rm(join(folder, name), { recursive: true, force: true });
  }
  const target = join(folder, now.toISOString().replace(/[-:]|\.\d+/g, ''));
  await mkdir(`${target}${unfinished}`, { mode: 0o700 });
  await make(`${target}${unfinished}`);
  await rename(`${target}${unfinished}`, target);
  await syncFolder(folder);
  return target;
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

async function syncFolder(folder: string): Promise<void> {
  const opened = await open(folder, 'r');
  await opened.sync().finally(() => opened.close());
}
