import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { copyFiles } from './copy-files.ts';

function folderWith(...names: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'copied-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'emails'), { mode: 0o700 });
  for (const name of names) writeFileSync(join(folder, 'emails', name), name, { mode: 0o600 });
  return folder;
}

test('a copy has all files as they are but those that are left out, and those that are removed meanwhile', async () => {
  const folder = folderWith('1.eml', '2.eml', '3.eml', '4.eml.part');
  const [source, target] = [join(folder, 'emails'), join(folder, 'copy')];
  await copyFiles(source, target, (name) => {
    if (name === '2.eml') rmSync(join(source, name));
    return name.endsWith('.part');
  });
  expect(readdirSync(target).toSorted()).toEqual(['1.eml', '3.eml']);
  expect(readFileSync(join(target, '3.eml'), 'utf8')).toBe('3.eml');
  expect([target, join(target, '3.eml')].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600]);
});

test('a copy that cannot be written fails', async () => {
  const folder = folderWith('1.eml');
  writeFileSync(join(folder, 'file'), '');
  await expect(copyFiles(join(folder, 'emails'), join(folder, 'file', 'copy'))).rejects.toThrow();
  await expect(copyFiles(join(folder, 'file'), join(folder, 'emails'))).rejects.toThrow();
});
