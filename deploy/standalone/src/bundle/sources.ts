import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../../../..');

/** What `npm start` runs. */
export const program = 'deploy/standalone/src/main';
export const bundleFolder = join(root, 'node_modules/.cache/npm-start');
const stateFile = join(bundleFolder, 'state-of-sources');

/**
 * Another text after each change of a source file, of the packages, of Node, or of the repository's own path, which the bundle
 * holds. It costs 20 to 40 ms.
 */
export function stateOfSources(): string {
  const packages = ['libs', 'services'].flatMap((kind) =>
    readdirSync(join(root, kind)).map((name) => join(kind, name)),
  );
  const folders = [...packages, 'deploy/standalone'].map((folder) => join(root, folder));
  const manifests = [root, ...folders].map((folder) => join(folder, 'package.json'));
  const sources = folders.map((folder) => join(folder, 'src')).filter(existsSync);
  const files = sources.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => join(entry.parentPath, entry.name)),
  );
  const states = [join(root, 'package-lock.json'), ...manifests, ...files].map((path) => {
    // An editor's file may be gone by now.
    const stat = statSync(path, { throwIfNoEntry: false });
    return `${path} ${stat?.mtimeMs} ${stat?.size}`;
  });
  return hash('sha256', [process.version, ...states].join('\n'));
}

/** @param state of the sources when the bundle was begun */
export const noteBundle = (state: string): void => writeFileSync(stateFile, state);

/** The program's bundle; undefined where there is none of the sources as they are. */
export function currentBundle(): string | undefined {
  if (!existsSync(stateFile) || readFileSync(stateFile, 'utf8') !== stateOfSources()) return undefined;
  return join(bundleFolder, `${program}.mjs`);
}
