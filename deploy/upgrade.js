/*
 * Brings a deployment to another version, or back to one before, in one command:
 *
 *   npm run upgrade -- compose VERSION [--backups FOLDER | --no-backup]
 *   npm run upgrade -- npm-start VERSION --restart 'sudo systemctl restart funnelry' [--backups FOLDER | --no-backup] [--url http://127.0.0.1:3000]
 *   npm run upgrade -- kubernetes OVERLAY [--backups FOLDER | --no-backup]
 *
 * VERSION is a name that git knows in this folder. OVERLAY is a folder of manifests whose images are of the version, as k8s/secrets/production.
 * It changes nothing where the databases say that the version does not work on them, and where its own files are changed. Cut off, it is run again.
 * Exit code 0: the deployment runs the version, and is ready; 1: it said why not. Needs no installed packages, and runs on Node 20.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

const services = ['gateway', 'catalog', 'checkout', 'billing', 'affiliate', 'metrics', 'webhook-dispatcher'];
/** Services of versions before it and of later ones do not understand each other: all stop before any starts. */
const understoodFrom = '0.3.0';
/** No version from here on works on the data of earlier ones, nor the other way. */
const oldestOfAll = '0.2.0';
/** Before it they lie in the server's one account, and a newer nats-server is never healthy with those of an account that it does not know. */
const moveStreamsBack = 'cd /data/jetstream && if [ -d STREAMS ] && [ ! -e "\\$G" ]; then mv STREAMS "\\$G"; fi';
/** How many backups stay: a backup of an upgrade removes none of those that are made each night. */
const keepAll = '1000000';
/** Migrations of a large database are waited for. */
const readyWithinMs = 600_000;

/** What a person reads without a stack. */
class Refusal extends Error {}

/** @param {string} program @param {string[]} args @returns {string} what it printed, without the end of the line */
const output = (program, args) =>
  execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();

/** @param {string} program @param {string[]} args */
const run = (program, args) => execFileSync(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });

/** @param {() => string} read @returns {string | undefined} undefined where it fails */
function attempt(read) {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** @param {string} version @returns {number[]} */
function numbersOf(version) {
  const [, ...numbers] = /^v?(\d+)\.(\d+)\.(\d+)$/.exec(version) ?? [];
  if (numbers.length === 0) throw new Refusal(`${version} is no version such as 0.3.0.`);
  return numbers.map(Number);
}

/** @param {string} version @param {string} other */
function isBefore(version, other) {
  const [own, others] = [numbersOf(version), numbersOf(other)];
  const differing = own.findIndex((part, index) => part !== others[index]);
  return differing !== -1 && Number(own[differing]) < Number(others[differing]);
}

const startedMs = Date.now();
/** @param {string} line */
const say = (line) => process.stdout.write(`${((Date.now() - startedMs) / 1_000).toFixed(0).padStart(4)}s  ${line}\n`);

/** @param {string} name @returns {string} the version of the files that git has under the name */
function versionAt(name) {
  const text = attempt(() => output('git', ['show', `${name}:package.json`]));
  if (text === undefined) throw new Refusal(`git knows no ${name} in this folder: git fetch --tags.`);
  return JSON.parse(text).version;
}

function refuseChangedFiles() {
  const changed = output('git', ['status', '--porcelain', '--untracked-files=no']);
  if (changed !== '') throw new Refusal(`Files of this folder are changed, and would be lost or mixed:\n${changed}`);
}

/**
 * @param {string} target
 * @param {string | undefined} running undefined where nothing runs
 * @param {() => string[]} oldest what each database says is the oldest version that works on it
 */
function refuseUnusableSchema(target, running, oldest) {
  if (isBefore(target, oldestOfAll)) throw new Refusal(`Version ${target} cannot use the data of later versions.`);
  if (running === undefined || !isBefore(target, running)) return;
  for (const version of oldest()) {
    if (isBefore(target, version))
      throw new Refusal(
        `Version ${target} does not work on these databases any more: versions from ${version} on do. Nothing was changed. ` +
          'To go back further, restore the backup from before the upgrade (deploy/README.md, Restore).',
      );
  }
}

/** @param {string} target @param {string | undefined} running */
const restartTogether = (target, running) =>
  running !== undefined && isBefore(target, understoodFrom) !== isBefore(running, understoodFrom);

/** @param {string} program @param {(service: string) => string[]} before arguments that run a command in the service's container */
const containers = (program, before) => ({
  running: () =>
    attempt(() => output(program, [...before('gateway'), 'node', '-p', "require('/app/package.json').version"])),
  oldest: () =>
    services.map((service) => output(program, [...before(service), 'node', 'src/main.ts', 'oldest-version'])),
});

/** @param {string} url @returns {Promise<void>} when the gateway is ready, whoever else may be missing */
async function untilReady(url) {
  for (const untilMs = Date.now() + readyWithinMs; Date.now() < untilMs; await sleep(1_000)) {
    const answer = await fetch(new URL('/readyz', url), { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
    const text = (await answer?.text().catch(() => '')) ?? '';
    if (answer?.ok) return say(`ready: ${text}`);
  }
  throw new Refusal(`${url}/readyz does not say that it is ready.`);
}

/** @typedef {{ backups?: string, 'no-backup': boolean, restart?: string, url: string }} Options */

/** @param {string} name @param {Options} options */
async function upgradeCompose(name, options) {
  const target = versionAt(name);
  const { running: readRunning, oldest } = containers('docker', (service) => ['compose', 'exec', '-T', service]);
  const running = readRunning();
  refuseUnusableSchema(target, running ?? refuseGoingBack(target), oldest);
  const together = restartTogether(target, running);
  if (!options['no-backup']) run('deploy/back-up.sh', ['compose', options.backups ?? 'backups', keepAll]);
  const natsChanges =
    attempt(() => output('git', ['diff', '--quiet', 'HEAD', name, '--', 'deploy/nats'])) === undefined;
  say(`from ${running ?? 'nothing that runs'} to ${target}`);
  run('git', ['checkout', '--quiet', name]);
  if (existsSync('deploy/make-secrets.js')) run(process.execPath, ['deploy/make-secrets.js']);
  writeVersion(target);
  // Of the shell's VERSION and the file's, compose takes the shell's.
  /** @param {string[]} args */
  const compose = (...args) => run('env', [`VERSION=${target}`, 'docker', 'compose', ...args]);
  const isBuilt = running !== target && services.every((service) => hasImage(`funnelry/${service}:${target}`));
  if (!isBuilt) compose('build');
  say(isBuilt ? 'the images are there' : 'the images are built');
  if (together) compose('down');
  if (together && isBefore(target, understoodFrom))
    compose('run', '--rm', '--no-deps', '-T', '--entrypoint', 'sh', 'nats', '-c', moveStreamsBack);
  if (natsChanges && !together) compose('up', '-d', '--wait', '--force-recreate', 'nats');
  compose('up', '-d', '--wait', '--remove-orphans');
  await untilReady(`http://${output('docker', ['compose', 'port', 'gateway', '3000'])}`);
}

/** @param {string} target @returns {undefined} */
function refuseGoingBack(target) {
  if (isBefore(target, versionAt('HEAD')))
    throw new Refusal(
      'Nothing runs, so that nothing says which versions work on its databases. Start it, then go back.',
    );
  return undefined;
}

/** @param {string} image */
const hasImage = (image) => output('docker', ['image', 'ls', '--quiet', image]) !== '';

/** The tag of the images in .env, from which compose reads it also without us. @param {string} version */
function writeVersion(version) {
  const text = existsSync('.env') ? readFileSync('.env', 'utf8') : '';
  const others = text.split('\n').filter((line) => line !== '' && !line.startsWith('VERSION='));
  writeFileSync('.env', `${[...others, `VERSION=${version}`].join('\n')}\n`, { mode: 0o600 });
}

/** @param {string} name @param {Options} options */
async function upgradeNpmStart(name, options) {
  const { restart } = options;
  if (restart === undefined)
    throw new Refusal("Say how npm start is restarted: --restart 'sudo systemctl restart funnelry'.");
  const [target, running] = [versionAt(name), versionAt('HEAD')];
  refuseUnusableSchema(target, running, () => output('npm', ['run', '-s', 'oldest-version']).split('\n'));
  const to = options.backups === undefined ? [] : ['--to', options.backups];
  if (!options['no-backup']) run('npm', ['run', '-s', 'backup', '--', '--keep', keepAll, ...to]);
  say(`from ${running} to ${target}`);
  run('git', ['checkout', '--quiet', name]);
  run('npm', ['ci', '--no-audit', '--no-fund']);
  say('installed');
  run('sh', ['-c', restart]);
  await untilReady(options.url);
}

/** @param {string} overlay @param {Options} options */
async function upgradeKubernetes(overlay, options) {
  const images = [
    ...output('kubectl', ['kustomize', overlay]).matchAll(/^\s*(?:- )?image: \S*funnelry\/[\w-]+:(\S+)$/gm),
  ];
  const [target, ...others] = [...new Set(images.map(([, tag]) => tag ?? ''))];
  if (target === undefined || others.length > 0)
    throw new Refusal(`The images of ${overlay} are of ${others.length > 0 ? 'several versions' : 'no version'}.`);
  const { running: readRunning, oldest } = containers('kubectl', (service) => ['exec', `deployment/${service}`, '--']);
  const running = readRunning();
  refuseUnusableSchema(target, running, oldest);
  if (!options['no-backup']) run('deploy/back-up.sh', ['kubernetes', options.backups ?? 'backups', keepAll]);
  say(`from ${running ?? 'nothing that runs'} to ${target}`);
  const deployments = [...services, 'keeper'].map((service) => `deployment/${service}`);
  const together = restartTogether(target, running);
  if (together) {
    run('kubectl', ['scale', '--replicas=0', ...deployments]);
    for (const service of [...services, 'keeper'])
      run('kubectl', ['wait', '--for=delete', 'pod', '-l', `app.kubernetes.io/name=${service}`, '--timeout=120s']);
  }
  run('kubectl', ['apply', '-k', overlay]);
  if (together) run('kubectl', ['scale', '--replicas=1', ...deployments]);
  for (const deployment of deployments) run('kubectl', ['rollout', 'status', deployment, '--timeout=600s']);
  say(`ready: ${target}`);
}

const ways = { compose: upgradeCompose, 'npm-start': upgradeNpmStart, kubernetes: upgradeKubernetes };

const options = /** @type {const} */ ({
  backups: { type: 'string' },
  'no-backup': { type: 'boolean', default: false },
  restart: { type: 'string' },
  url: { type: 'string', default: 'http://127.0.0.1:3000' },
});

try {
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [way = '', name, ...more] = positionals;
  if (!Object.hasOwn(ways, way) || name === undefined || more.length > 0)
    throw new Refusal(
      'usage: npm run upgrade -- compose VERSION | npm-start VERSION --restart COMMAND | kubernetes OVERLAY',
    );
  if (way !== 'kubernetes') refuseChangedFiles();
  await ways[/** @type {keyof typeof ways} */ (way)](name, values);
} catch (err) {
  process.stderr.write(`${err instanceof Error ? err.message : String(err)}\n`);
  process.exitCode = 1;
}
