import { existsSync } from 'node:fs';
import { basename, join, matchesGlob } from 'node:path';
import { describe, expect, test } from 'vitest';
import { anchorsOf, linkedPaths, namedPaths, pathsInComments } from './support/named-paths.ts';
import { find, manifests, read, root, typeScriptFiles } from './support/repository.ts';

const documents = find('**/*.md').filter((file) => basename(file) !== 'CHANGELOG.md');
const decisions = find('docs/decisions/*.md').filter((file) => basename(file) !== 'README.md');
const paths = [...find('**/*'), ...find('.*')];

/** Made by a command or at the start, and a package of this name. */
const notKept =
  /^(\.data|bench\/results|k8s\/secrets)(\/|$)|^cluster\/$|^(credentials|owner|secrets|server)\.json$|^ipaddr\.js$/;

/** Whether the repository has a path that a document names. Its beginning may be left out, in a service's README that of the service. */
function isPath(document: string, named: string): boolean {
  if (notKept.test(named)) return true;
  const path = named.replace(/^(\.{0,2}\/)+|\/$/g, '');
  const [home = '**'] = /^services\/[^/]+/.exec(document) ?? [];
  return paths.some((each) => matchesGlob(each, path) || matchesGlob(each, `${home}/**/${path}`));
}

describe('decisions', () => {
  test('the list of decisions has each with its title', () => {
    const titled = decisions.map((file) => {
      const [, number, title] = /^# (\d{4}) (.+)$/m.exec(read(file)) ?? [];
      return `- [${number}](${basename(file)}) ${title}`;
    });
    const listed = read('docs/decisions/README.md').split('\n');
    expect(listed.filter((line) => line.startsWith('- ['))).toEqual(titled);
  });
});

describe('dependencies', () => {
  test('docs/dependencies.md has a line for every dependency of every package.json', () => {
    const cells = [...read('docs/dependencies.md').matchAll(/^\| (`.+?) \|/gm)].map(([, first = '']) => first);
    const named = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
    const ours = new Set(manifests().map(({ name }) => name));
    const unnamed = manifests().flatMap(({ folder, dependencies }) =>
      Object.keys(dependencies)
        // The documentation writes packages that differ by a word alone as one: `{a,b}-c`.
        .filter((dependency) => !ours.has(dependency) && !named.some((name) => matchesGlob(dependency, name)))
        .map((dependency) => `${dependency} of ${folder}`),
    );
    expect(unnamed).toEqual([]);
  });
});

describe('paths', () => {
  test('a path is named in backticks, with its extension or from a folder of the repository, and not in a fenced block', () => {
    const markdown =
      'Run `node src/main.ts --all`: see `libs/money`, `db/`, `order.paid`, a/b.ts.\n```\n`c.ts`\n```\n[d](../e.md#f)';
    expect(namedPaths(markdown)).toEqual(['src/main.ts', 'libs/money', 'db/']);
    expect(linkedPaths('docs/g.md', markdown)).toEqual(['e.md#f']);
  });

  test.each(documents)('every path that %s names exists', (file) => {
    expect(namedPaths(read(file)).filter((path) => !isPath(file, path))).toEqual([]);
  });

  test('a comment names a path by its file, its folder of the repository, or a migration', () => {
    const comment = [
      '/** As a/b.rules.ts and ../c.ts say, of 0001-made, `*.test.ts` and https://d.io/e.md. */',
      "const f = 'g.ts';",
      '// See `h.ts`, libs/money.',
    ];
    expect(pathsInComments(comment.join('\n'))).toEqual(['a/b.rules.ts', '../c.ts', '0001-made', 'h.ts', 'libs/money']);
  });

  test('every path and every migration that a comment of the source names exists', () => {
    const tails = new Set(paths.flatMap((path) => path.split('/').map((_, at, parts) => parts.slice(at).join('/'))));
    const isKnown = (named: string): boolean => {
      const path = named.replace(/^(\.{1,2}\/)+/, '');
      return ['', '.ts', '.md'].some((extension) => tails.has(`${path}${extension}`)) || notKept.test(path);
    };
    const missing = typeScriptFiles().flatMap((file) =>
      pathsInComments(read(file)).flatMap((path) => (isKnown(path) ? [] : [`${file}: ${path}`])),
    );
    expect(missing).toEqual([]);
  });

  test.each(documents)('every link of %s leads to a file, and to a heading of it', (file) => {
    const broken = linkedPaths(file, read(file)).filter((link) => {
      const [path = '', anchor] = link.split('#');
      if (!existsSync(join(root, path))) return true;
      return anchor !== undefined && !anchorsOf(read(path)).includes(anchor);
    });
    expect(broken).toEqual([]);
  });
});
