import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, portInUse } from '@app/embedded/ports';
import { isAlive } from '@app/embedded/processes';
import { pollSystem } from '@app/testing/poll-system';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { copyMadeData } from './support/made-data.ts';
import { followOutput, startStandalone } from './support/standalone.ts';

/** Guarantee: the commands of the README end as their user expects, also where something is missing. */
const root = join(import.meta.dirname, '..');
const run = promisify(execFile);
let dataDir: string;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'funnelry-commands-'));
});

afterEach(async () => {
  await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

test.runIf(process.platform !== 'win32')('a SIGTERM to npm alone stops the platform and frees its port', async () => {
  const port = await freePort();
  const made = join(dataDir, 'data');
  await copyMadeData(made);
  const env = { ...process.env, DATA_DIR: made, PORT: String(port) };
  const npm = spawn('npm', ['start'], { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<number | null>((resolve) => npm.once('exit', resolve));
  await followOutput(npm).until(/^ready /, ended);
  const pid = Number.parseInt(await readFile(join(made, 'standalone.pid'), 'utf8'), 10);
  npm.kill('SIGTERM');
  try {
    await pollSystem('the platform has ended', () => !isAlive(pid));
  } finally {
    if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  }
  expect(await portInUse(port)).toBe(false);
});

test('a Node that cannot run it gets a sentence, not a stack', async () => {
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    scripts: { start: string; pretest: string };
  };
  for (const script of [scripts.start, scripts.pretest]) {
    const [, ...args] = script.split(' ');
    const old = run(process.execPath, ['--no-experimental-strip-types', ...args], { cwd: root });
    const { code, stderr } = await old.then(
      () => ({ code: 0, stderr: '' }),
      (err: { code: number; stderr: string }) => err,
    );
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Funnelry runs on Node 24, .*\n$/);
  }
});

test('a data directory that cannot be made is named, and the start does not hang', async () => {
  const file = join(dataDir, 'file');
  await writeFile(file, '');
  const impossible = [file, join(file, 'below'), ...(process.platform === 'linux' ? ['/proc/foo'] : [])];
  for (const directory of impossible) {
    const start = startStandalone(directory, 0);
    const timer = AbortSignal.timeout(35_000);
    timer.onabort = () => start.child.kill('SIGKILL');
    expect(await start.ended).toBe(1);
    expect(start.output()).toMatch(/^DATA_DIR .* cannot be used: .*\. Choose another one\.\n$/);
    expect(start.output()).toContain(directory);
  }
});
