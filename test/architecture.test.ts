import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { mutualFolders } from './support/mutual-folders.ts';
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

const thisFile = 'test/architecture.test.ts';
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

  test.each(services)('%s says what it owns, answers, publishes, consumes and reads', (service) => {
    const readme = read(`services/${service}/README.md`);
    const headings = [...readme.matchAll(/^#+ +(\S.*)$/gm)].map((match) => match[1]);
    expect(headings).toEqual(expect.arrayContaining(['Owns', 'Answers', 'Publishes', 'Consumes', 'Settings']));
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
  test('tests wait for announced points; what announces nothing is polled by pollSystem alone', () => {
    const tests = others.filter((file) => isTest(file) || /\/(test|e2e)\//.test(`/${file}`));
    expect(linesMatching(tests, /\b(eventually|waitFor|waitUntil)\(/)).toEqual([]);
    expect(linesMatching(tests, /while \(.*\b(Date|performance)\.now\(\) *[<>]/)).toEqual([]);
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

describe('names', () => {
  test('JavaScript is what a browser or an old Node runs, and the configuration of a tool', () => {
    const starts = ['deploy/node.js', 'deploy/require-node.js', 'deploy/v8-flags.js'];
    // On a host of containers, whose Node may be 20.
    const onHosts = ['deploy/make-secrets.js', 'deploy/nats/show-lag.js', 'deploy/upgrade.js'];
    const others = new Set([...starts, ...onHosts, '.dependency-cruiser.cjs']);
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

  test('a folder of one workspace is its package name', () => {
    // The client is for others, under a name of its own.
    const own = manifests().filter(({ folder }) => folder !== 'root' && !folder.startsWith('clients/'));
    const misnamed = own.filter(({ folder, name }) => name !== `@app/${basename(folder)}`);
    expect(misnamed).toEqual([]);
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
});
