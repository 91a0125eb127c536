import { execFile, execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

/**
 * Follows the guides to the letter, on a copy of the repository: their blocks are the only source, so that a guide that
 * leaves out a file, or names one that is no longer there, fails here.
 */
const guides = ['docs/adding-an-event.md', 'docs/adding-an-endpoint.md'];
const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');
const blocks = guides.flatMap((guide) => [
  ...readFileSync(join(root, guide), 'utf8').matchAll(/^```(\w+)\n(.*?)^```$/gms),
]);
let copy: string;

beforeAll(async () => {
  copy = mkdtempSync(join(tmpdir(), 'funnelry-guides-'));
  for (const file of listed()) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  linkPackages();
  writeFileSync(join(copy, 'tsconfig.guides.json'), JSON.stringify(changedConfig));
  const ofKind = (wanted: string) => blocks.flatMap(([, kind, block = '']) => (kind === wanted ? [block] : []));
  for (const block of ofKind('diff')) applyBlock(block);
  // What commands write is no place for a block: each runs once, after all of them, because it loads the services anew.
  for (const line of new Set(ofKind('sh').flatMap((block) => block.trim().split('\n')))) await command(line);
}, 300_000);
afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** What git has, and what is about to be committed. */
function listed(): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  const files = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\0');
  return files.filter((file) => file !== '' && existsSync(join(root, file)));
}

/** Installed packages are those of the repository; workspaces are the copy's own. */
function linkPackages(): void {
  for (const folder of ['.', ...globSync('{libs,services,deploy}/*', { cwd: root })]) {
    const installed = join(root, folder, 'node_modules');
    if (!existsSync(installed)) continue;
    const modules = join(copy, folder, 'node_modules');
    mkdirSync(join(modules, '@app'), { recursive: true });
    for (const name of readdirSync(installed))
      if (name !== '@app') symlinkSync(join(installed, name), join(modules, name));
  }
  for (const folder of globSync('{libs,services}/*', { cwd: root })) {
    symlinkSync(join(copy, folder), join(copy, 'node_modules/@app', basename(folder)));
  }
}

/** The file, then parts apart by `@@`. Lines with a space or `-` are found in the file once, and replaced by those with a space or `+`. */
function applyBlock(block: string): void {
  const [path = '', ...lines] = block.trimEnd().split('\n');
  const file = join(copy, path);
  let text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  for (const part of lines.join('\n').split('\n@@\n')) {
    const side = (sign: string) =>
      part
        .split('\n')
        .filter((line) => line[0] === sign || line[0] === ' ')
        .map((line) => `${line.slice(1)}\n`)
        .join('');
    const [before, after] = [side('-'), side('+')];
    if (before === '' && text !== '')
      throw new Error(`${path} exists, and a part of its block has nothing to be found`);
    if (before !== '' && text.split(before).length !== 2) throw new Error(`${path} has not, or twice:\n${before}`);
    text = before === '' ? after : text.replace(before, () => after);
  }
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Rejects with what the command printed. */
async function command(line: string): Promise<void> {
  const [program = '', ...args] = line.replace(/^npx /, '').split(' ');
  const path = [join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter);
  // Set by the runner of this test, and not meant for one inside it.
  const { VITEST: _, VITEST_MODE: _mode, VITEST_POOL_ID: _pool, VITEST_WORKER_ID: _worker, ...own } = process.env;
  // The type checker is written in Go: to collect its garbage takes a quarter of it, and 200 MB more are enough without.
  const env = { ...own, PATH: path, GOGC: 'off' };
  await run(program, args, { cwd: copy, env, maxBuffer: 1e8 }).catch((err) => {
    throw new Error(`${line}\n${err.stdout}${err.stderr}`);
  });
}

const changed = blocks.flatMap(([, kind, block = '']) => (kind === 'diff' ? (block.split('\n')[0] ?? '') : []));
const changedFiles = [...new Set(changed)].filter((file) => file.endsWith('.ts'));
const changedPackages = [...new Set(changedFiles.map((file) => file.split('/').slice(0, 2).join('/')))];
/** What the guides can break: the files that they change, and the packages of these, with all that they import. */
const changedConfig = {
  extends: './tsconfig.base.json',
  files: changedFiles,
  include: changedPackages.map((folder) => `${folder}/src`),
  exclude: ['node_modules', '**/*.test.ts'],
};
const made = changedFiles.filter((file) => file.endsWith('.test.ts') && !file.startsWith('e2e/'));
const tests = [...made, 'services/gateway/test/openapi', 'test/event-samples'];

test.concurrent.each([
  // One checker takes half of the processor time of several.
  ['types', 'npx tsc --noEmit --singleThreaded --project tsconfig.guides.json'],
  ['imports', `npx depcruise ${changedFiles.join(' ')}`],
  // They run once: to load modules in one process, and to let Node load them, takes half of the processor time.
  [
    'tests',
    `npx vitest run --project service --project repo --maxWorkers=1 --no-experimental.viteModuleRunner ${tests.join(' ')}`,
  ],
])(
  'what the guides say passes the checks: %s',
  async (_name, line) => {
    expect(await command(line)).toBeUndefined();
  },
  600_000,
);
