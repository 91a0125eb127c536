import { dirname, posix } from 'node:path';

/** Pairs of folders that import each other, of files given by path. Folders of other packages are imported by name. */
export function mutualFolders(files: ReadonlyMap<string, string>): string[] {
  const edges = new Set<string>();
  for (const [path, text] of files)
    for (const [, to = ''] of text.matchAll(/from '(\.[^']+)'/g)) {
      const target = dirname(posix.join(dirname(path), to));
      if (target !== dirname(path)) edges.add(`${dirname(path)} ${target}`);
    }
  return [...edges].filter((edge) => edges.has(edge.split(' ').reverse().join(' ')));
}
