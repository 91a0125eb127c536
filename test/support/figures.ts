/*
 * Prints figures of the code as Markdown: `npm run figures [-- revision …]`; without a revision, of HEAD.
 */
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { mutualFolders } from './mutual-folders.ts';
import { repeatedRuns } from './repeated-runs.ts';
import { requestMachinery } from './request-machinery.ts';

const root = join(import.meta.dirname, '../..');
type Files = ReadonlyMap<string, string>;

/** Source that people write for production, by path. */
function sourceOf(folder: string): Files {
  const paths = globSync('{libs,services}/*/src/**/*.ts', { cwd: folder }).map((path) => path.replaceAll('\\', '/'));
  const source = paths.filter((path) => !path.endsWith('.test.ts') && !path.startsWith('libs/testing/'));
  return new Map(source.map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
}

const linesOf = (text: string): string[] => text.trimEnd().split('\n');
const sum = (numbers: readonly number[]): number => numbers.reduce((all, number) => all + number, 0);

/** The steps of an order until it exists, and the files that they name. */
function orderPath(folder: string): { steps: number; files: number } {
  const page = readFileSync(join(folder, 'docs/architecture.md'), 'utf8');
  const section = /^## One order.*?\n(.*?)^## /ms.exec(page)?.[1] ?? '';
  const steps = section.split('Then, without the caller')[0]?.match(/^\d+\. .*$/gm) ?? [];
  const named = steps.flatMap((step) => [...step.matchAll(/`([\w./-]+\.ts)`/g)].map(([, file]) => file));
  return { steps: steps.length, files: new Set(named).size };
}

/** Words of every Markdown file that git has, code blocks and tables included. */
function wordsOfMarkdown(folder: string): number {
  const texts = globSync('**/*.md', { cwd: folder }).map((path) => readFileSync(join(folder, path), 'utf8'));
  return sum(texts.map((text) => text.split(/\s+/).filter((word) => word !== '').length));
}

function figuresOf(folder: string): [string, string][] {
  const files = sourceOf(folder);
  const order = orderPath(folder);
  const services = [...files].filter(([path]) => basename(path) === 'service.ts' && path.startsWith('services/'));
  const lengths = services.map(([, text]) => linesOf(text).length).toSorted((a, b) => a - b);
  const repeated = repeatedRuns(files).length;
  const lines = sum([...files.values()].map((text) => linesOf(text).length));
  return [
    ['steps of an order until it exists', String(order.steps)],
    ['files that they name', String(order.files)],
    ['lines of the `service.ts`', lengths.join(', ')],
    ['runs of six lines that stand twice', String(repeated)],
    ['the same for 10,000 lines', ((repeated * 10_000) / lines).toFixed(1)],
    [
      'lines of the request machinery',
      String(sum(requestMachinery.map((path) => (files.has(path) ? linesOf(files.get(path) ?? '').length : 0)))),
    ],
    ['pairs of folders that import each other', String(mutualFolders(files).length / 2)],
    ['source files', String(files.size)],
    ['source lines', String(lines)],
    ['lines a file', (lines / files.size).toFixed(0)],
    ['words of Markdown', String(wordsOfMarkdown(folder))],
    ['migrations', String(globSync('services/*/src/db/migrations/[0-9]*.ts', { cwd: folder }).length)],
  ];
}

const revisions = process.argv.length > 2 ? process.argv.slice(2) : ['HEAD'];
const columns = revisions.map((revision) => {
  const folder = mkdtempSync(join(tmpdir(), 'figures-'));
  try {
    const archive = execFileSync('git', ['archive', revision], { cwd: root, maxBuffer: 1e9 });
    execFileSync('tar', ['-x', '-C', folder], { input: archive });
    return new Map(figuresOf(folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
process.stdout.write(row(['', ...revisions]) + row(['---', ...revisions.map(() => '---')]));
for (const name of columns[0]?.keys() ?? []) {
  process.stdout.write(row([name, ...columns.map((figures) => figures.get(name) ?? '')]));
}
