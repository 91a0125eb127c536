import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { backUp } from './back-up.ts';
import { makeIn } from './backups.ts';

/** Guarantee: what is in the folder under a backup's name is whole, and nothing else stays there. */

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'funnelry-backups-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const at = (second: number): Date => new Date(`2026-11-29T03:00:0${second}Z`);
const write = async (place: string): Promise<void> => writeFileSync(join(place, 'file'), 'all of it');

test('what fails leaves nothing, because it may have filled the disk', async () => {
  const full = async (place: string): Promise<void> => {
    await write(place);
    throw new Error('no space left on device');
  };
  await expect(makeIn(folder, at(0), full)).rejects.toThrow('no space left');
  expect(readdirSync(folder)).toEqual([]);
});

test('two at once: the second says so, and takes nothing from the first', async () => {
  const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const first = makeIn(folder, at(0), async (place) => {
    await write(place);
    begun.resolve();
    await goOn.promise;
  });
  await begun.promise;
  await expect(makeIn(folder, at(1), write)).rejects.toThrow(`Process ${process.pid} backs up or verifies`);
  goOn.resolve();
  expect(readdirSync(await first)).toEqual(['file']);
  expect(readdirSync(folder)).toEqual(['20261129T030000Z']);
});

test('what a killed backup or verification left is removed by the next one', async () => {
  for (const name of ['20260101T000000Z.unfinished', '.verify.unfinished']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, '.backup.pid'), '2147483647 1\n');
  await makeIn(folder, at(0), write);
  expect(readdirSync(folder)).toEqual(['20261129T030000Z']);
});

test('a folder in DATA_DIR is refused: each backup would hold all earlier ones', async () => {
  const options = { dataDir: folder, folder: join(folder, 'backups'), keep: 1, print: () => undefined };
  await expect(backUp(options)).rejects.toThrow('is in DATA_DIR');
  expect(readdirSync(folder)).toEqual([]);
});
