import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { mutualFolders } from './support/mutual-folders.ts';
import { repeatedRuns } from './support/repeated-runs.ts';
import {
  find,
  isTest,
  linesMatching,
  manifests,
  read,
  root,
  services,
  sourceFolders,
  typeScriptFiles,
} from './support/repository.ts';
import { requestMachinery } from './support/request-machinery.ts';
import { sleepingLoops, timerChains } from './support/timer-chains.ts';

const thisFile = 'test/architecture.test.ts';
/** They wait for sockets, processes, sessions of PostgreSQL or streams of nats-server. */
const pollers = [
  'e2e/chaos/closing.ts',
  'e2e/first-commands.test.ts',
  'e2e/outages.test.ts',
  'e2e/support/own-postgres.ts',
  'e2e/telemetry.test.ts',
  'e2e/webhook-crash.test.ts',
  'libs/embedded/test/postgres.test.ts',
  'libs/messaging/test/durables.test.ts',
  'libs/messaging/test/events.test.ts',
  'services/affiliate/test/payouts.test.ts',
  'services/checkout/test/adversity.test.ts',
  'services/checkout/test/one-outcome.test.ts',
  'services/gateway/test/closing.test.ts',
  'services/gateway/test/idempotency.test.ts',
  'services/webhook-dispatcher/test/conservation.test.ts',
  'services/webhook-dispatcher/test/partitions.test.ts',
  'services/webhook-dispatcher/test/recovery-crash.test.ts',
];
const files = typeScriptFiles();
const source = files.filter((file) => !isTest(file));

describe('every service has the same front door', () => {
  test('the folders in services/ are the seven services', () => {
    expect(find('services/*').map((folder) => basename(folder))).toEqual(services.toSorted());
  });

  test.each(services)('%s has its main, service, config and migrations', (service) => {
    const expected = ['main.ts', 'service.ts', 'config.ts', 'db/migrate.ts'];
    expect(expected.filter((file) => !existsSync(join(root, 'services', service, 'src', file)))).toEqual([]);
  });

  test.each(services)('%s says in at most 60 lines what it owns, answers, publishes, consumes and reads', (service) => {
    const readme = read(`services/${service}/README.md`);
    const headings = [...readme.matchAll(/^#+ +(\S.*)$/gm)].map((match) => match[1]);
    expect(headings).toEqual(expect.arrayContaining(['Owns', 'Answers', 'Publishes', 'Consumes', 'Settings']));
    expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(60);
  });

  // What is long there opens its parts in line: they belong into functions named `open…`, in files of their own.
  test.each(services)('the service.ts of %s is at most 30 lines', (service) => {
    const lines = read(`services/${service}/src/service.ts`).trimEnd().split('\n').length;
    expect(lines).toBeLessThanOrEqual(30);
  });

  test('every library says what it is for', () => {
    const without = find('libs/*').filter((folder) => !existsSync(join(root, folder, 'README.md')));
    expect(without).toEqual([]);
  });
});

describe('every service is deployed', () => {
  test.each(services)('docker-compose.yml runs %s', (service) => {
    expect(read('docker-compose.yml')).toMatch(new RegExp(`^ {2}${service}:`, 'm'));
  });

  test.each(services)('Kubernetes runs %s', (service) => {
    const manifestFiles = find('k8s/**/*.{yaml,yml}');
    const named = new RegExp(`^\\s*-?\\s*name: ["']?${service}["']?\\s*$`, 'm');
    expect(manifestFiles.filter((file) => named.test(read(file)))).not.toEqual([]);
  });
});

describe('imports', () => {
  interface Cruised {
    modules: { source: string; dependencies: unknown[] }[];
    summary: { violations: { rule: { name: string }; from: string; to: string; cycle?: { name: string }[] }[] };
  }

  /** The one cruise of all checks: it takes longer than all of them. */
  function cruise(): Cruised {
    const cli = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');
    const folders = sourceFolders.filter((folder) => existsSync(join(root, folder)));
    const args = [cli, ...folders, 'vitest.config.ts', '--output-type', 'json'];
    // A broken rule is in the output; the exit code says it too.
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, maxBuffer: 512 * 1024 * 1024 });
    expect(stderr.toString()).toBe('');
    return JSON.parse(stdout.toString()) as Cruised;
  }

  // With a parser that cannot read TypeScript, dependency-cruiser sees no modules and finds no fault.
  test('dependency-cruiser reads every source file and the imports in it, and no rule of .dependency-cruiser.cjs is broken', () => {
    const { modules, summary } = cruise();
    const broken = summary.violations.map(({ rule, from, to, cycle = [] }) =>
      [`${rule.name}: ${from} → ${to}`, ...cycle.map(({ name }) => name)].join(' → '),
    );
    expect(broken).toEqual([]);
    const dependencies = new Map(modules.map((module) => [module.source, module.dependencies.length]));
    expect(files.filter((file) => !dependencies.has(file))).toEqual([]);
    const importing = files.filter((file) => /^(import .*|\}) from '/m.test(read(file)));
    expect(importing.length).toBeGreaterThan(0);
    expect(importing.filter((file) => dependencies.get(file) === 0)).toEqual([]);
  });

  // dependency-cruiser sees no cycle between a folder and one in it.
  test('no two folders of a package import each other', () => {
    const shipped = source.filter((file) => /^(libs|services)\//.test(file));
    expect(mutualFolders(new Map(shipped.map((file) => [file, read(file)])))).toEqual([]);
  });

  // An image is installed with `npm ci --workspace`: a package that is not declared is not in it.
  test('a package declares the workspace packages that its source imports', () => {
    const undeclared = manifests().flatMap(({ folder, name, dependencies }) =>
      source
        .filter((file) => file.startsWith(`${folder}/src/`))
        .flatMap((file) => [...read(file).matchAll(/from '(@app\/[^/']+)/g)].map((match) => ({ file, to: match[1] })))
        .filter(({ to }) => to !== undefined && to !== name && dependencies[to] === undefined)
        .map(({ file, to }) => `${file} imports ${to}`),
    );
    expect(undeclared).toEqual([]);
  });

  test('a library exports what others import, one line for each module, and nothing else', () => {
    const imported = (folder: string, name: string) =>
      files
        .filter((file) => !file.startsWith(`${folder}/src/`))
        .flatMap((file) => [...read(file).matchAll(new RegExp(`['"]${name}/([a-z0-9/.-]+)['"]`, 'g'))])
        .map(([, module]) => module);
    for (const { folder, name, exported } of manifests().filter((each) => each.folder.startsWith('libs/'))) {
      expect([name, exported]).toEqual([name, [...new Set(imported(folder, name))].toSorted()]);
    }
  });
});

describe('sizes', () => {
  const isMigration = (file: string) => file.includes('/migrations/');

  test.each([
    ['source', source.filter((file) => !isMigration(file)), 400],
    ['test', files.filter(isTest), 600],
  ] as const)('no %s file is longer than its cap', (_kind, capped, cap) => {
    const lines = capped.map((file) => ({ file, lines: read(file).trimEnd().split('\n').length }));
    expect(lines.filter((entry) => entry.lines > cap)).toEqual([]);
  });

  test('what sends a request over NATS and serves it has 750 lines at most', () => {
    const lines = requestMachinery
      .filter((file) => files.includes(file))
      .map((file) => read(file).trimEnd().split('\n'));
    expect(lines.flat().length).toBeLessThanOrEqual(750);
    expect(lines.length).toBeGreaterThan(5);
  });
});

describe('what the code says', () => {
  const others = files.filter((file) => file !== thisFile);

  test('nothing is left for later', () => {
    expect(linesMatching(others, /\b(TODO|FIXME|XXX|HACK)\b|not implemented/i)).toEqual([]);
  });

  test('no test is skipped and none is singled out', () => {
    // It runs at Stripe, whose time does not move for a test, and whose bank pages wait for a person.
    const tests = others.filter((file) => isTest(file) && file !== 'services/billing/test/stripe/check-at-stripe.ts');
    expect(linesMatching(tests, /\.(skip|only|todo)\(/)).toEqual([]);
  });

  // What our own code does is announced: a test that repeats its assertion until it holds says nothing of why it waits.
  test('tests wait for announced points, and poll only what announces nothing, in the files named here', () => {
    const tests = others.filter((file) => isTest(file) || /\/(test|e2e)\//.test(`/${file}`));
    expect(linesMatching(tests, /\b(eventually|waitFor|waitUntil)\(/)).toEqual([]);
    expect(linesMatching(tests, /while \(.*\b(Date|performance)\.now\(\) *[<>]/)).toEqual([]);
    expect(tests.filter((file) => /\bpollSystem\(/.test(read(file)))).toEqual(pollers);
  });

  // A machine that does something else may take seconds for anything: limits are of the code's own clock, or of rounds.
  test('no test asserts how little time something takes', () => {
    const elapsed = /expect\(.*(now\(\) - \w+|elapsedMs|tookMs)\)\.toBeLess\w+\([\d_]+\)/;
    expect(linesMatching(others.filter(isTest), elapsed)).toEqual([]);
  });

  // In a URL's path spaces and umlauts are escaped, so no file is found in a folder whose name has some.
  test('the path of a file is not taken from a URL', () => {
    expect(linesMatching(others, /\bimport\.meta\.url\)+\.pathname\b/)).toEqual([]);
  });

  test('only a config.ts reads the environment of a service', () => {
    const readers = source.filter((file) => file.startsWith('services/') && basename(file) !== 'config.ts');
    expect(linesMatching(readers, /\bprocess\.env\b/)).toEqual([]);
  });

  // From unnest and the like, or from a query above, the columns stand on the same page; a table's change unseen.
  test('SQL names the columns it reads', () => {
    const selects = [...source, ...find('{services,libs,deploy}/**/*.sql')].flatMap((file) => {
      const text = read(file);
      const onThePage = (name: string) =>
        /^(unnest|jsonb?_to_recordset|rows)\b/i.test(name) ||
        new RegExp(String.raw`\b${name}(\s*\([^)]*\))?\s+as\s+((not\s+)?materialized\s+)?\(`, 'i').test(text);
      return [...text.matchAll(/\bselect\s+(?:\w+\.)?\*\s+from\s+([\w.]+)/gi)]
        .filter((match) => !onThePage(match[1] ?? ''))
        .map((match) => `${file}: ${match[0]}`);
    });
    expect(selects).toEqual([]);
  });
});

describe('shape', () => {
  test('no object literal is spread into another to save lines', () => {
    expect(linesMatching(source, /\.\.\.\{/)).toEqual([]);
  });

  // One that adds a property or nothing may be: exactOptionalPropertyTypes refuses an optional one that is undefined.
  test('no spread chooses between two object literals', () => {
    const choice =
      /\.\.\.\((?:[^()]|\([^()]*\))*?\?\s*\{(?:[^{}]|\{[^{}]*\})*[^\s{}](?:[^{}]|\{[^{}]*\})*\}\s*:\s*\{\s*[^}\s]/;
    expect(typeScriptFiles().filter((file) => choice.test(read(file)))).toEqual([]);
  });

  // Some say the same of different things: two events of a published format, or two servers that a start waits for.
  test('few runs of six lines stand twice', () => {
    // Samples of the gallery are what a page shows, each as it comes.
    const shipped = source.filter((file) => /^(libs\/(?!testing\/)|services\/)[\w-]+\/src\/(?!gallery\/)/.test(file));
    const repeated = repeatedRuns(new Map(shipped.map((file) => [file, read(file)])));
    expect(repeated.length, `share the logic of some of these:\n${repeated.join('\n')}`).toBeLessThanOrEqual(4);
  });
});

describe('names', () => {
  test('JavaScript is what a browser runs, what refuses an old Node, and the configuration of a tool', () => {
    const others = new Set(['deploy/require-node.js', '.dependency-cruiser.cjs']);
    const scripts = [...find('{.,}*.{js,cjs,mjs}'), ...find(`{${sourceFolders.join(',')},docs,k8s}/**/*.{js,cjs,mjs}`)];
    const misplaced = scripts.filter((path) => !others.has(path) && !path.startsWith('libs/pages/src/browser/'));
    expect(misplaced).toEqual([]);
  });

  const written = find('{libs,services,deploy,e2e,bench,test,docs,k8s}/**/*');

  test('files and folders are in kebab-case', () => {
    const kebab = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)*$/;
    const conventional = /^(README\.md|CHANGELOG\.md|LICENSE|Dockerfile(\.[a-z]+)?|\.[a-z]+)$/;
    expect(written.filter((path) => !kebab.test(basename(path)) && !conventional.test(basename(path)))).toEqual([]);
  });

  test('no file or folder is named after nothing in particular', () => {
    const vague = /(^|[-.])(manager|helper|util|utility|utilitie|impl)s?([-.]|$)/;
    expect(written.filter((path) => vague.test(basename(path)))).toEqual([]);
  });

  test('nothing exported is named after nothing in particular', () => {
    const declared = String.raw`^export (declare |abstract |async )*(function\*?|const|let|class|type|interface) `;
    const vague = String.raw`\w*((Manager|Helper|Util|Impl)s?(?![a-z])|\b(manager|helper|util|impl)s?(?![a-z]))`;
    expect(linesMatching(files, new RegExp(declared + vague))).toEqual([]);
  });

  test('a folder of one workspace is its package name', () => {
    const misnamed = manifests().filter(({ folder, name }) => folder !== 'root' && name !== `@app/${basename(folder)}`);
    expect(misnamed).toEqual([]);
  });
});

// A URL and an automation differ in the ways that DestinationKind names: who needs another one adds it there.
test('only services/webhook-dispatcher/src/destinations branches on the role of a destination', () => {
  const others = source.filter(
    (file) =>
      file.startsWith('services/webhook-dispatcher/src/') &&
      !file.includes('/destinations/') &&
      !file.includes('/migrations/'),
  );
  expect(linesMatching(others, /\brole\b\s*(=|<>|[!=]==|is )[^'\n]*'automation'|\brole (not )?in \(/)).toEqual([]);
  // What is left: texts for people name the destination, and an account with automations alone gets its first endpoint.
  const branches = linesMatching(others, /^(?!import).*\bisAutomation\b(?!\()/);
  const counts = Object.groupBy(branches, (line) => line.slice(line.indexOf('/src/') + 5, line.indexOf(':')));
  expect(Object.fromEntries(Object.entries(counts).map(([file, lines]) => [file, lines?.length]))).toEqual({
    'events/store-events.ts': 1,
    'history/delivery-rows.ts': 1,
    'history/reason.rules.ts': 7,
  });
});

describe('work in the background', () => {
  /** Each has no rounds that startLoop could run, most beside work that has an end, or on memory alone. */
  const byHand: Readonly<Record<string, string>> = {
    'libs/messaging/src/connection-log.ts': 'repeats a line of the log during an outage',
    'libs/messaging/src/consume.ts': 'waits for messages, and is not periodic',
    'libs/messaging/src/relay.ts': 'leads for as long as it can, and is not periodic',
    'libs/messaging/src/running-requests.ts': 'sends signs while requests run',
    'libs/messaging/src/stream-publisher.ts': 'expires a map in memory',
    'libs/runs/src/run-for-each-account.ts': 'measures the progress of one run',
    'libs/runs/src/run-lock.ts': 'keeps a session alive while one run works',
    'libs/service-kit/src/background-loop.ts': 'is startLoop',
    'libs/service-kit/src/batcher.ts': 'waits for more items only while some wait',
    'libs/service-kit/src/lock-session.ts': 'keeps a session alive while it is open',
    'libs/service-kit/src/log-file.ts': 'flushes the log, which cannot report its failures to itself',
    'services/billing/src/rehearsals/advance-rehearsal.ts': 'keeps a lease while one request works',
    'services/gateway/src/edge/connections.ts': 'reads sockets in memory',
    'services/gateway/src/limits/read-limiter.ts': 'counts in memory',
    'services/webhook-dispatcher/src/deliveries/delivery-scheduler.ts': 'reads queues in memory',
  };

  const isLoop = (text: string): boolean =>
    /\bsetInterval\(/.test(text) ||
    /\bwhile \(!(this\.#|\w+\.)?(closing|closed)\b(?!\()/.test(text) ||
    timerChains(text).length > 0;

  test('what repeats is a startLoop, but for the files named here', () => {
    const shipped = source.filter((file) => /^(libs\/(?!testing\/)|services\/)[^/]+\/src\//.test(file));
    expect(shipped.filter((file) => isLoop(read(file)))).toEqual(Object.keys(byHand));
  });

  /** Each repeats one thing until it is done or its time is over, within what has an end itself. */
  const untilDone: Readonly<Record<string, string>> = {
    'libs/embedded/src/child.ts': 'waits for the end of a process',
    'libs/embedded/src/keep-running.ts': 'starts a server again that ended, and ends with it',
    'libs/embedded/src/postgres.ts': 'waits until a server that starts answers',
    'libs/messaging/src/connect.ts': 'connects first, before there is a service',
    'libs/messaging/src/events-command.ts': 'is the run of a command',
    'libs/messaging/src/message-buffer.ts': 'waits for messages',
    'libs/messaging/src/requester.ts': 'repeats one request until its deadline',
    'libs/runs/src/run-lock.ts': 'waits until its deadline for the run of another caller',
    'libs/service-kit/src/migrations.ts': 'waits for another process that migrates',
    'services/billing/src/processors/stripe/stripe-pace.ts': 'waits for the turn of one request',
    'services/billing/src/rehearsals/advance-rehearsal.ts': 'waits until its deadline for another command',
    'services/gateway/src/limits/decline-limit.ts': 'waits for capacity, ten seconds at most',
    'services/metrics/src/products/get-product.ts': 'waits for a young product, a second at most',
    'services/metrics/src/rollups/rebuild-rollups.ts': 'waits for another rebuild, as a command',
    'services/webhook-dispatcher/src/deliveries/record-attempts.ts': 'repeats one write until its leases end',
    'services/webhook-dispatcher/src/test-sends/self-test.ts': 'waits for the result of the same command',
  };

  test('what sleeps between its rounds is a startLoop, or repeats one thing until it is done', () => {
    const shipped = source.filter((file) => /^(libs\/(?!testing\/)|services\/)[^/]+\/src\//.test(file));
    expect(shipped.filter((file) => sleepingLoops(read(file)).length > 0)).toEqual(Object.keys(untilDone));
  });

  test('a loop is seen to sleep itself or by a function that it calls, and not beside it', () => {
    const sleeping = (...lines: string[]) =>
      sleepingLoops(["import { setTimeout as sleep } from 'node:timers/promises';", ...lines].join('\n'));
    const pause = ['async function pause() {', '  await sleep(9);', '}'];
    expect(sleeping('while (true) {', '  await sleep(9);', '}')).toEqual(['while (true) {']);
    expect(sleeping('for (;;) {', '  await pause();', '}', ...pause)).toEqual(['for (;;) {']);
    expect(sleeping('while (true) {', '  await work();', '}', 'await sleep(9);', ...pause)).toEqual([]);
  });

  test('a timeout whose callback comes back to it is seen as a loop, and one that fires once is not', () => {
    const declared = [
      '  const run = (): void => {',
      '    void work();',
      '  };',
      '  const again = () => {',
      '    run();',
    ];
    const chains = (call: string) =>
      timerChains([...declared, `    timer = setTimeout(${call}, 9);`, '  };'].join('\n'));
    expect([chains('again'), chains('() => void again()')]).toEqual([['again'], ['again']]);
    expect([chains('run'), chains('() => reject(new Error("again"))')]).toEqual([[], []]);
  });
});

describe('dependencies', () => {
  const direct = manifests().flatMap(({ folder, dependencies }) =>
    Object.entries(dependencies).map(([name, version]) => ({ folder, name, version })),
  );

  test('every version is exact', () => {
    expect(direct.filter(({ version }) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
  });

  test('one version of each package', () => {
    const versions = Object.groupBy(direct, ({ name }) => name);
    const several = Object.entries(versions).filter(
      ([, uses]) => new Set(uses?.map(({ version }) => version)).size > 1,
    );
    expect(several).toEqual([]);
  });

  // MikroORM's packages refuse to load beside another version of each other.
  test('all of MikroORM is one version', () => {
    const versions = new Set(direct.filter(({ name }) => name.startsWith('@mikro-orm/')).map(({ version }) => version));
    expect([...versions]).toHaveLength(1);
  });

  test('the lock file leaves the choice of registry to the installer', () => {
    const lock = JSON.parse(read('package-lock.json')) as { packages: Record<string, { resolved?: string }> };
    const hosts = Object.entries(lock.packages).filter(([, entry]) => /^\w+:/.test(entry.resolved ?? ''));
    expect(hosts).toEqual([]);
  });

  test('the lock file knows every workspace and its dependencies', () => {
    type Entry = Partial<Record<'dependencies' | 'devDependencies', Record<string, string>>>;
    const lock = JSON.parse(read('package-lock.json')) as { packages: Record<string, Entry> };
    const stale = direct.filter(({ folder, name, version }) => {
      const entry = lock.packages[folder === 'root' ? '' : folder];
      return { ...entry?.dependencies, ...entry?.devDependencies }[name] !== version;
    });
    expect(stale).toEqual([]);
  });

  test('docs/dependencies.md says of every dependency what it is for', () => {
    const explained = [...read('docs/dependencies.md').matchAll(/^- `([^`]+)`: \S/gm)].map(([, name]) => name);
    const used = new Set(direct.map(({ name }) => name).filter((name) => !name.startsWith('@app/')));
    expect(explained.toSorted()).toEqual([...used].toSorted());
  });
});
