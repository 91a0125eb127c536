import { hash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

export const repository = join(import.meta.dirname, '../../../..');

/** What `npm start` runs. */
export const program = 'deploy/standalone/src/main';
/** A folder for each state of the sources that was bundled. */
export const bundlesFolder = (root = repository): string => join(root, 'node_modules/.cache/npm-start');

/**
 * Another text after each change of a source file, of the installed packages, of Node, or of the repository's own path, which
 * the bundle holds; not after an edit of an installed file. It costs 20 to 40 ms.
 */
export function stateOfSources(root = repository): string {
  const packages = ['libs', 'services'].flatMap((kind) =>
    readdirSync(join(root, kind)).map((name) => join(kind, name)),
  );
  const folders = [...packages, 'deploy/standalone'].map((folder) => join(root, folder));
  const manifests = [root, ...folders].map((folder) => join(folder, 'package.json'));
  const sources = folders.map((folder) => join(folder, 'src')).filter(existsSync);
  const files = sources.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  const locks = ['package-lock.json', 'node_modules/.package-lock.json'].map((file) => join(root, file));
  const states = [...locks, ...manifests, ...files].map((path) => {
    // An editor's file may be gone by now.
    const stat = statSync(path, { throwIfNoEntry: false });
    return `${path} ${stat?.mtimeMs} ${stat?.size}`;
  });
  return hash('sha256', [process.version, ...states].join('\n'));
}

/** The program's bundle; undefined where there is none of the sources as they are, or they cannot be read. */
export function currentBundle(root = repository): string | undefined {
  try {
    const file = join(bundlesFolder(root), stateOfSources(root), `${program}.mjs`);
    return existsSync(file) ? file : undefined;
  } catch {
    // The sources say what is wrong with them.
    return undefined;
  }
}
