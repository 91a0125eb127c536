import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

export const root = join(import.meta.dirname, '../..');

export const services = ['gateway', 'catalog', 'checkout', 'billing', 'affiliate', 'metrics', 'webhook-dispatcher'];
export const sourceFolders = ['libs', 'services', 'deploy', 'e2e', 'bench', 'test'];

const generatedFolders = new Set(['node_modules', '.git', '.data', 'dist', 'coverage']);

/** Paths from the root of the repository, with forward slashes, of the files (and folders) that match. */
export function find(pattern: string): string[] {
  const exclude = (path: string) => path.split(/[\\/]/).some((part) => generatedFolders.has(part));
  return globSync(pattern, { cwd: root, exclude })
    .map((path) => path.replaceAll('\\', '/'))
    .sort();
}

const texts = new Map<string, string>();

/** Read once for all checks of a test file: no check changes what is in the repository. */
export function read(path: string): string {
  const text = texts.get(path) ?? readFileSync(join(root, path), 'utf8');
  texts.set(path, text);
  return text;
}

/** Every TypeScript file that people write. */
export function typeScriptFiles(): string[] {
  return [...find(`{${sourceFolders.join(',')}}/**/*.ts`), ...find('*.ts')];
}

export function isTest(path: string): boolean {
  return /\.test\.ts$|^(services|libs|deploy)\/[^/]+\/test\/|^test\/|^e2e\//.test(path);
}

/** `file:line: text` of each line of these files that the pattern matches. */
export function linesMatching(files: readonly string[], pattern: RegExp): string[] {
  return files.flatMap((file) =>
    read(file)
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
  );
}

interface Manifest {
  folder: string;
  name: string;
  /** The modules that other packages may import, without `./`. */
  exported: string[];
  /** Name to version, of all kinds of dependencies together. */
  dependencies: Record<string, string>;
}

/** Every package.json of the repository; the root's folder is `root`. */
export function manifests(): Manifest[] {
  return find('**/package.json').map((path) => {
    const content = JSON.parse(read(path)) as Record<string, Record<string, string>> & { name: string };
    const kinds = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];
    return {
      folder: relative('.', path.replace(/\/?package\.json$/, '')) || 'root',
      name: content.name,
      exported: Object.keys(content.exports ?? {}).map((path) => path.replace('./', '')),
      dependencies: Object.assign({}, ...kinds.map((kind) => content[kind] ?? {})) as Record<string, string>,
    };
  });
}
