import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '../..');

const git = (...args: string[]): Buffer =>
  execFileSync('git', args, { cwd: root, maxBuffer: 256 * 1_048_576, stdio: ['ignore', 'pipe', 'ignore'] });

/**
 * The commit of a release: its tag's or, where tags were not fetched, the one that says so. Undefined where git has neither here, as in a shallow
 * clone; that is said once.
 */
export function releaseCommit(version: string): string | undefined {
  const attempts = [
    ['rev-parse', '--verify', '--quiet', `v${version}^{commit}`],
    ['log', '-1', '--format=%H', `--grep=^Release ${version.replaceAll('.', '\\.')}$`],
  ];
  for (const attempt of attempts) {
    try {
      const found = git(...attempt)
        .toString()
        .trim();
      if (found !== '') return found;
    } catch {
      // The next one, or what is said below.
    }
  }
  process.stderr.write(`git has no commit of release ${version} here: the way back to it is not tried.\n`);
  return undefined;
}

/**
 * Makes a folder with the sources of a release, whose packages find each other and, of all others, those that are installed for this version: each
 * is of the version that the release names, or this throws.
 * @param folder is not there yet
 * @returns what starts its `npm start`
 */
export function unpackProgram(commit: string, folder: string): string {
  mkdirSync(folder);
  const sources = git('archive', '--format=tar', commit, 'libs', 'services', 'deploy', 'package.json');
  execFileSync('tar', ['x', '-C', folder], { input: sources });
  const packages = [
    ...['libs', 'services'].flatMap((parent) => readdirSync(join(folder, parent)).map((name) => join(parent, name))),
    'deploy/standalone',
  ];
  const installed = join(root, 'node_modules');
  const own = join(folder, 'node_modules');
  mkdirSync(join(own, '@app'), { recursive: true });
  for (const path of packages) {
    const { name, dependencies = {} } = readPackage(join(folder, path));
    symlinkSync(join(folder, path), join(own, name));
    for (const [dependency, version] of Object.entries(dependencies)) {
      if (dependency.startsWith('@app/') || isThere(join(own, dependency))) continue;
      const here = readPackage(join(installed, dependency)).version;
      if (here !== version) throw new Error(`${name} was released with ${dependency} ${version}, and here is ${here}`);
      mkdirSync(dirname(join(own, dependency)), { recursive: true });
      symlinkSync(join(installed, dependency), join(own, dependency));
    }
  }
  return join(folder, 'deploy/standalone/src/main.ts');
}

interface Package {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const readPackage = (folder: string): Package => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

function isThere(folder: string): boolean {
  try {
    readPackage(folder);
    return true;
  } catch {
    return false;
  }
}
