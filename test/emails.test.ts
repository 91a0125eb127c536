import { existsSync } from 'node:fs';
import { builtInAutomations } from '@app/contracts/automations';
import { expect, test } from 'vitest';
import { read } from './support/repository.ts';

const document = read('docs/emails.md');
const rows = document
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| Email') && !line.startsWith('| ---'));
const cellsOf = (row: string): string[] =>
  row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

test('every letter and every built-in automation has a row that says who can cause it and what bounds it', () => {
  const named = rows.map((row) => cellsOf(row)[0]?.replaceAll('`', ''));
  const source = read('services/gateway/src/identity/letters/letter-paths.ts');
  const letters = [...source.matchAll(/^ {2}(\w+): '\//gm)].map(([, kind]) => kind);
  expect(letters.length).toBeGreaterThan(5);
  for (const kind of [...letters, ...builtInAutomations]) expect(named).toContain(kind);
});

test('every row names a test that exists', () => {
  for (const row of rows) {
    const cells = cellsOf(row);
    expect([row, cells.length, existsSync(cells[4]?.replaceAll('`', '') ?? '')]).toEqual([row, 5, true]);
  }
});
