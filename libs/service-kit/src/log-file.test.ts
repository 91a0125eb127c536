import { closeSync, openSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LogFile } from './log-file.ts';

let folder: string;
let warned: string[];
const warn = (line: string) => void warned.push(line);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'log-file-'));
  warned = [];
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

const flushed = (file: LogFile) => new Promise<void>((resolve) => file.flush(resolve));

test('a log never takes more than its bytes, and keeps the newest lines', async () => {
  const destination = join(folder, 'app.log');
  const file = new LogFile({ destination, bytesMax: 1_000, filesKept: 2, warn });
  for (let n = 0; n < 200; n++) {
    file.write(`line ${n} ${'.'.repeat(80)}\n`);
    await flushed(file);
  }
  await file.close();
  const names = (await readdir(folder)).sort();
  expect(names).toEqual(['app.log', 'app.log.1', 'app.log.2']);
  for (const name of names) expect((await stat(join(folder, name))).size).toBeLessThanOrEqual(1_000);
  expect(await readFile(destination, 'utf8')).toContain('line 199 ');
  expect(warned).toEqual([]);
});

test('a log that was too large when it was opened is put aside', async () => {
  const destination = join(folder, 'app.log');
  const first = new LogFile({ destination, warn });
  first.write(`${'.'.repeat(2_000)}\n`);
  await first.close();
  const second = new LogFile({ destination, bytesMax: 1_000, warn });
  second.write('new\n');
  await second.close();
  expect(await readFile(destination, 'utf8')).toBe('new\n');
});

test('what cannot be written is dropped, said once, and counted in the log as soon as it can be written', async () => {
  const destination = join(folder, 'app.log');
  // A directory instead of it refuses every write, as a full disk does.
  await mkdir(destination);
  const file = new LogFile({ destination, warn });
  for (let n = 0; n < 3; n++) {
    file.write(`lost ${n}\n`);
    await flushed(file);
  }
  expect(warned).toHaveLength(1);
  expect(warned[0]).toContain(destination);
  await rm(destination, { recursive: true });
  await flushed(file);
  file.write('kept\n');
  await file.close();
  const lines = (await readFile(destination, 'utf8')).trim().split('\n');
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 40, lost: 1, msg: 'lines of this log were lost' });
  expect(lines.slice(1)).toEqual(['lost 1', 'lost 2', 'kept']);
  expect(warned).toHaveLength(2);
});

test('an error of the descriptor ends nothing, and what waits for it stays bounded', async () => {
  const fd = openSync(join(folder, 'read-only'), 'w+');
  closeSync(fd);
  const file = new LogFile({ destination: openSync(join(folder, 'read-only'), 'r'), warn });
  const line = `${'.'.repeat(1_000)}\n`;
  for (let n = 0; n < 5_000; n++) file.write(line);
  await flushed(file);
  await file.close();
  expect(warned).toHaveLength(1);
});
