import { execFile } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { guardLeaks } from '@app/testing/leak-guard';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keepBundle } from '../src/bundle/keep-bundle.ts';
import { bundlesFolder, currentBundle, program, repository, stateOfSources } from '../src/bundle/sources.ts';

guardLeaks();

let root = '';

const write = (path: string, text: string): void => {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
};

/** A deployment with this repository's way to start, and programs that say what they are. */
beforeEach(() => {
  // Each of these means something in an address.
  root = mkdtempSync(join(tmpdir(), 'bundle #%41? -'));
  for (const file of ['bundle/sources.ts', 'bundle/keep-bundle.ts', 'start.ts'])
    cpSync(join(repository, 'deploy/standalone/src', file), join(root, 'deploy/standalone/src', file));
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

/** What `npm ci` does, with a bundle that says a word. */
async function makeBundle(says = 'bundle'): Promise<void> {
  const make = async (folder: string): Promise<void> => {
    mkdirSync(join(folder, dirname(program)), { recursive: true });
    writeFileSync(join(folder, `${program}.mjs`), `process.stdout.write('${says}');`);
  };
  await keepBundle(stateOfSources(root), make, bundlesFolder(root));
}

/** The same, killed when the bundle's files are written. */
const cutOff = `
  import { cpSync } from 'node:fs';
  import { keepBundle } from './deploy/standalone/src/bundle/keep-bundle.ts';
  import { stateOfSources } from './deploy/standalone/src/bundle/sources.ts';
  await keepBundle(stateOfSources(), async (folder) => {
    cpSync('bundled', folder, { recursive: true });
    process.kill(process.pid, 'SIGKILL');
  });`;

test('npm start runs the sources without a bundle or with one that was cut off, and then the next one', async () => {
  expect(await started()).toBe('sources');
  write('bundled/deploy/standalone/src/main.mjs', `process.stdout.write('cut off');`);
  await expect(run('--input-type=module', '--eval', cutOff)).rejects.toMatchObject({ signal: 'SIGKILL' });
  expect(readdirSync(bundlesFolder(root))).toHaveLength(1);
  expect(await started()).toBe('sources');
  await makeBundle();
  expect(await started()).toBe('bundle');
  expect(readdirSync(bundlesFolder(root))).toHaveLength(1);
});

test.each<[string, () => void]>([
  ['a service', () => appendFileSync(join(root, 'services/catalog/src/service.ts'), '\n')],
  ['a library', () => appendFileSync(join(root, 'libs/money/src/cents/format.ts'), '\n')],
  ['the program', () => appendFileSync(join(root, 'deploy/standalone/src/main.ts'), '\n')],
  ['a file that is new', () => write('libs/money/src/new.ts', '')],
  ['a file that is gone', () => rmSync(join(root, 'services/catalog/src/service.ts'))],
  ['what a library exports', () => write('libs/money/package.json', '{}')],
  ['the wanted packages', () => write('package-lock.json', '{ "packages": {} }')],
  ['the installed packages', () => write('node_modules/.package-lock.json', '{ "packages": {} }')],
])('no bundle is current after a change of %s', async (_, change) => {
  await makeBundle();
  expect(currentBundle(root)).toContain(bundlesFolder(root));
  change();
  expect(currentBundle(root)).toBeUndefined();
});

test('where the sources cannot be read as a whole they are run, and say why', async () => {
  await makeBundle();
  rmSync(join(root, 'services'), { recursive: true });
  expect(await started()).toBe('sources');
});

test('the bundle before the last stays, for a platform that runs it', async () => {
  for (const [day, says] of ['first', 'second', 'third'].entries()) {
    write('libs/money/src/says.ts', says);
    await makeBundle(says);
    utimesSync(join(bundlesFolder(root), stateOfSources(root)), new Date(), new Date(day * 86_400_000));
  }
  const textOf = (state: string) =>
    readFileSync(join(bundlesFolder(root), state, 'deploy/standalone/src/main.mjs'), 'utf8');
  const texts = readdirSync(bundlesFolder(root)).map(textOf);
  expect(texts.sort()).toEqual([`process.stdout.write('second');`, `process.stdout.write('third');`]);
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
