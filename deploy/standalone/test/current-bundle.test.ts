import { execFile } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { guardLeaks } from '@app/testing/leak-guard';
import { afterEach, beforeEach, expect, test } from 'vitest';

guardLeaks();

const repository = join(import.meta.dirname, '../../..');
let root = '';

const write = (path: string, text: string): void => {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
};

/** A deployment with this repository's way to start, and programs that say what they are. */
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'bundle-'));
  for (const file of ['deploy/standalone/src/bundle/sources.ts', 'deploy/standalone/src/start.ts'])
    cpSync(join(repository, file), join(root, file));
  write('package.json', '{ "type": "module" }');
  write('package-lock.json', '{}');
  write('services/catalog/src/service.ts', 'export const name = 1;');
  write('libs/money/src/cents/format.ts', 'export const cents = 1;');
  write('deploy/standalone/src/main.ts', `process.stdout.write('sources');`);
});
afterEach(() => rmSync(root, { recursive: true }));

const run = async (...args: string[]): Promise<string> =>
  (await promisify(execFile)(process.execPath, args, { cwd: root })).stdout;
const started = () => run('deploy/standalone/src/start.ts');

/** What `npm ci` leaves; without the note it is a bundle that was cut off. */
async function makeBundle(options: { noted: boolean }): Promise<void> {
  write('node_modules/.cache/npm-start/deploy/standalone/src/main.mjs', `process.stdout.write('bundle');`);
  const note = `import { noteBundle, stateOfSources } from './deploy/standalone/src/bundle/sources.ts'; noteBundle(stateOfSources());`;
  if (options.noted) await run('--input-type=module', '--eval', note);
}

test('npm start runs the sources where there is no bundle, or one that was cut off', async () => {
  expect(await started()).toBe('sources');
  await makeBundle({ noted: false });
  expect(await started()).toBe('sources');
});

test('npm start runs the bundle of the sources as they are', async () => {
  await makeBundle({ noted: true });
  expect(await started()).toBe('bundle');
});

test.each<[string, () => void]>([
  ['a service', () => appendFileSync(join(root, 'services/catalog/src/service.ts'), '\n')],
  ['a library', () => appendFileSync(join(root, 'libs/money/src/cents/format.ts'), '\n')],
  ['the program', () => appendFileSync(join(root, 'deploy/standalone/src/main.ts'), '\n')],
  ['a file that is new', () => write('libs/money/src/new.ts', '')],
  ['a file that is gone', () => rmSync(join(root, 'services/catalog/src/service.ts'))],
  ['what a library exports', () => write('libs/money/package.json', '{}')],
  ['the packages', () => write('package-lock.json', '{ "packages": {} }')],
])('npm start runs the sources after a change of %s', async (_, change) => {
  await makeBundle({ noted: true });
  change();
  expect(await started()).toBe('sources');
});

test('what Node has compiled for the bundle is of use to npm start', async () => {
  const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
  const tagOf = async (script: 'prepare' | 'start'): Promise<string> => {
    const options = String(scripts[script])
      .split(' ')
      .filter((part) => /^--(max|min|heap)-/.test(part));
    return await run(...options, '--print', `require('node:v8').cachedDataVersionTag()`);
  };
  expect(await tagOf('prepare')).toBe(await tagOf('start'));
});
