import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { root } from './support/repository.ts';

/**
 * Guarantee: an upgrade is one command, and so is the way back; what the databases do not allow, and what would be lost, is refused before
 * anything is changed. git is the real one, on a repository of two versions; docker, kubectl and npm are stand-ins that say what they were told.
 */
let folder: string;
let port: number;
/** What each program was called with, in order. */
const calls = (): string[] => readFileSync(join(folder, 'calls'), 'utf8').split('\n').filter(Boolean);
/** What changes something. */
const changes = (): string[] => calls().filter((call) => !/ exec | port | ls | kustomize |oldest-version/.test(call));
/** Without what the machine's own git is configured to do: sign commits, or act on another repository. */
const gitEnvironment = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'))),
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
};
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
    cwd: join(folder, 'app'),
    env: gitEnvironment,
    encoding: 'utf8',
  }).trim();

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'funnelry-upgrade-command-'));
  const server = createServer((_, response) => response.end('{"status":"ok"}')).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((listening) => server.once('listening', listening));
  ({ port } = server.address() as AddressInfo);
  const app = join(folder, 'app');
  for (const file of ['deploy/upgrade.js', 'deploy/make-secrets.js']) {
    mkdirSync(dirname(join(app, file)), { recursive: true });
    cpSync(join(root, file), join(app, file));
  }
  writeFileSync(join(app, 'deploy/back-up.sh'), `#!/bin/sh\necho "back-up $*" >> "$CALLS"\n`, { mode: 0o755 });
  writeFileSync(join(app, '.gitignore'), '.env\nk8s/secrets\n');
  git('init', '-q');
  for (const version of ['0.2.0', '0.3.0', '0.3.1']) {
    writeFileSync(join(app, 'package.json'), JSON.stringify({ version, type: 'module' }));
    git('add', '-A');
    git('commit', '-q', '-m', version);
    git('tag', `v${version}`);
  }
  mkdirSync(join(folder, 'bin'));
  stand(
    'docker',
    'case "$*" in *"-p require"*) echo "$RUNNING"; test -n "$RUNNING";; *oldest-version*) echo "$OLDEST";; *"image ls"*) echo "$BUILT";; *port*) echo "127.0.0.1:$PORT";; esac',
  );
  stand(
    'kubectl',
    'case "$*" in *"-p require"*) echo "$RUNNING"; test -n "$RUNNING";; *oldest-version*) echo "$OLDEST";; kustomize*) cat "$2/rendered";; esac',
  );
  stand('npm', 'case "$*" in *oldest-version*) echo "$OLDEST";; esac');
  writeFileSync(join(folder, 'calls'), '');
});
afterEach(() => rmSync(folder, { recursive: true }));

function stand(program: string, script: string): void {
  const file = join(folder, 'bin', program);
  writeFileSync(file, `#!/bin/sh\necho "${program} $*" >> "$CALLS"\n${script}\n`);
  chmodSync(file, 0o755);
}

/** The command, where this version runs and the databases say that one. */
function upgrade(
  args: readonly string[],
  settings: Record<string, string> = {},
): Promise<{ code: number; said: string }> {
  const env = {
    ...{ PATH: `${join(folder, 'bin')}:${process.env.PATH}`, CALLS: join(folder, 'calls') },
    ...{ RUNNING: '0.3.1', OLDEST: '0.2.0', BUILT: '', PORT: `${port}`, ...settings },
  };
  return new Promise((ended) => {
    execFile(process.execPath, ['deploy/upgrade.js', ...args], { cwd: join(folder, 'app'), env }, (err, out, error) =>
      ended({ code: err === null ? 0 : Number(err.code), said: `${out}${error}` }),
    );
  });
}

test('compose: a backup, the files, the images and the services of the version, and the way back the same', async () => {
  git('checkout', '-q', 'v0.3.0');
  const up = await upgrade(['compose', 'v0.3.1'], { RUNNING: '0.3.0' });
  expect([up.code, up.said]).toEqual([0, expect.stringContaining('ready: {"status":"ok"}')]);
  expect(changes()).toEqual([
    'back-up compose backups 1000000',
    'docker compose build',
    'docker compose up -d --wait --remove-orphans',
  ]);
  expect(git('describe', '--tags')).toBe('v0.3.1');
  expect(readFileSync(join(folder, 'app/.env'), 'utf8')).toMatch(/^VERSION=0\.3\.1$/m);
  writeFileSync(join(folder, 'calls'), '');
  const back = await upgrade(['compose', 'v0.3.0', '--no-backup'], { BUILT: 'yes' });
  expect([back.code, back.said]).toEqual([0, expect.stringContaining('from 0.3.1 to 0.3.0')]);
  expect(changes()).toEqual(['docker compose up -d --wait --remove-orphans']);
  expect(readFileSync(join(folder, 'app/.env'), 'utf8').match(/^VERSION=.*$/gm)).toEqual(['VERSION=0.3.0']);
});

test('compose: services that do not understand each other all stop before any starts', async () => {
  const back = await upgrade(['compose', 'v0.2.0', '--no-backup']);
  expect(back.code).toBe(0);
  expect(changes()).toEqual([
    'docker compose build',
    'docker compose down',
    // A newer nats-server is unhealthy for ever with the streams of an account that its configuration has not.
    expect.stringMatching(/^docker compose run --rm --no-deps -T --entrypoint sh nats -c .*mv STREAMS/),
    'docker compose up -d --wait --remove-orphans',
  ]);
});

test('compose: from a version whose streams lie elsewhere nothing is moved: nats-server does that when it starts', async () => {
  expect((await upgrade(['compose', 'v0.3.1', '--no-backup'], { RUNNING: '0.2.0' })).code).toBe(0);
  expect(changes()).toEqual([
    'docker compose build',
    'docker compose down',
    'docker compose up -d --wait --remove-orphans',
  ]);
});

test.each([
  ['which the databases do not allow', ['compose', 'v0.3.0'], { OLDEST: '0.3.1' }, 'versions from 0.3.1 on do'],
  ['while nothing runs', ['compose', 'v0.3.0'], { RUNNING: '' }, 'Nothing runs'],
  ['that git does not know', ['compose', 'v9.9.9'], {}, 'git knows no v9.9.9'],
  ['without a word on how it restarts', ['npm-start', 'v0.3.0'], {}, '--restart'],
  [
    'of npm start which the databases do not allow',
    ['npm-start', 'v0.3.0', '--restart', 'true'],
    { OLDEST: '0.3.1' },
    '0.3.1 on',
  ],
  ['to nowhere', ['compose'], {}, 'usage'],
])('a way back %s is refused, and nothing is changed', async (_, args, settings, why) => {
  const refused = await upgrade(args, settings);
  expect([refused.code, refused.said]).toEqual([1, expect.stringContaining(why)]);
  expect(refused.said).not.toContain('    at ');
  expect([changes(), git('describe', '--tags')]).toEqual([[], 'v0.3.1']);
});

test('files that were changed here are refused, not lost', async () => {
  writeFileSync(join(folder, 'app/package.json'), '{ "version": "0.3.1", "own": true }');
  const refused = await upgrade(['compose', 'v0.3.0']);
  expect([refused.code, refused.said]).toEqual([1, expect.stringContaining('package.json')]);
  expect(changes()).toEqual([]);
});

test('npm start: a backup, the files, what they need, the restart, and ready', async () => {
  const restarted = join(folder, 'restarted');
  const url = `http://127.0.0.1:${port}`;
  const back = await upgrade([
    'npm-start',
    'v0.3.0',
    '--restart',
    `touch ${restarted}`,
    '--url',
    url,
    '--backups',
    '/b',
  ]);
  expect([back.code, back.said]).toEqual([0, expect.stringContaining('ready')]);
  // The nightly backup says how many stay: this one removes none of them.
  expect(changes()).toEqual(['npm run -s backup -- --keep 1000000 --to /b', 'npm ci --no-audit --no-fund']);
  expect([git('describe', '--tags'), readFileSync(restarted, 'utf8')]).toEqual(['v0.3.0', '']);
});

test('npm start: without a folder the backup goes where npm run backup puts it, and where the doctor looks', async () => {
  const there = ['npm-start', 'v0.3.0', '--restart', 'true', '--url', `http://127.0.0.1:${port}`];
  expect((await upgrade(there)).code).toBe(0);
  expect(changes()[0]).toBe('npm run -s backup -- --keep 1000000');
});

test('Kubernetes: the images of an overlay say the version, and each service is waited for', async () => {
  const overlay = (tags: readonly string[]): string => {
    const made = mkdtempSync(join(folder, 'overlay-'));
    writeFileSync(
      join(made, 'rendered'),
      tags.map((tag) => `        image: registry.example/funnelry/gateway:${tag}\n`).join(''),
    );
    return made;
  };
  const next = overlay(['0.3.2', '0.3.2']);
  expect((await upgrade(['kubernetes', next, '--no-backup'])).code).toBe(0);
  expect(changes()[0]).toBe(`kubectl apply -k ${next}`);
  expect(changes().filter((call) => call.startsWith('kubectl rollout status'))).toHaveLength(8);
  writeFileSync(join(folder, 'calls'), '');
  const refusals = [
    [overlay(['0.3.2', '0.3.1']), {}, 'several versions'],
    [overlay(['latest']), {}, 'latest is no version'],
    [overlay(['0.3.0']), { OLDEST: '0.3.1' }, 'versions from 0.3.1 on do'],
  ] as const;
  for (const [made, settings, why] of refusals) {
    const refused = await upgrade(['kubernetes', made, '--no-backup'], settings);
    expect([refused.code, refused.said]).toEqual([1, expect.stringContaining(why)]);
  }
  expect(changes()).toEqual([]);
  expect((await upgrade(['kubernetes', overlay(['0.2.0']), '--no-backup'])).code).toBe(0);
  expect(changes()[0]).toMatch(/^kubectl scale --replicas=0 deployment\/gateway /);
});
