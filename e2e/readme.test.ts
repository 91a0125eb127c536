import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '@app/embedded/ports';
import { expect, test } from 'vitest';
import { readCredentials, startStandalone } from './support/standalone.ts';

const root = join(import.meta.dirname, '..');
const readme = join(root, 'README.md');

interface Step {
  readonly commands: string;
  /** What the README says they print; undefined where it says nothing. */
  readonly printed: string | undefined;
}

/** The shell blocks of the README in order, each with the output block that follows it. */
function stepsOf(markdown: string): Step[] {
  const blocks = [...markdown.matchAll(/```(sh|json)\n([\s\S]*?)```/g)].map(([, kind, text]) => ({
    kind,
    text: text as string,
  }));
  return blocks.flatMap((block, index) => {
    if (block.kind !== 'sh') return [];
    const next = blocks[index + 1];
    return [{ commands: block.text, printed: next?.kind === 'json' ? next.text.trim() : undefined }];
  });
}

/** Text with `…` for what differs each time. */
function pattern(printed: string): RegExp {
  const parts = printed.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^]*?')}$`);
}

/** Whether git, and with it the style check, would ignore this path of the repository. Nothing need be there. */
async function isIgnored(path: string): Promise<boolean> {
  try {
    await promisify(execFile)('git', ['check-ignore', '--quiet', path], { cwd: root });
    return true;
  } catch (err) {
    // 1 is its answer for a path that is not ignored; anything else is a failure.
    if ((err as { code?: unknown }).code === 1) return false;
    throw err;
  }
}

/** The entries of a directory that git would not ignore if they lay in the repository. */
async function notIgnored(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const paths = entries.map((entry) => `${entry.name}${entry.isDirectory() ? '/' : ''}`);
  const ignored = await Promise.all(paths.map(isIgnored));
  return paths.filter((_, index) => ignored[index] !== true);
}

test('the README’s commands give what the README prints, and leave nothing that git or the style check sees', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'funnelry-readme-'));
  const standalone = startStandalone(join(directory, '.data'), await freePort());
  try {
    await standalone.until(/^ready /);
    const { baseUrl } = await readCredentials(standalone.dataDir);
    const receiverPort = String(await freePort());
    const local = (text: string): string =>
      text.replaceAll(/http:\/\/127\.0\.0\.1:3000|3001/g, (found) => (found === '3001' ? receiverPort : baseUrl));
    const steps = stepsOf(await readFile(readme, 'utf8'));
    expect(steps.length).toBeGreaterThanOrEqual(5);
    const script = steps.map((step) => `${local(step.commands)}\necho; echo "=== next"\n`).join('');
    const shell = ['-c', `trap 'kill $(jobs -p)' EXIT\n${script}`];
    const { stdout } = await promisify(execFile)('bash', shell, { cwd: directory, timeout: 100_000 });
    const outputs = stdout.split('=== next').map((output) => output.trim());
    for (const [index, step] of steps.entries()) {
      if (step.printed !== undefined) expect(outputs[index]).toMatch(pattern(local(step.printed)));
    }
    expect(await notIgnored(directory)).toEqual([]);
  } finally {
    await standalone.end('SIGTERM');
    await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
});
