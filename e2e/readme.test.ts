import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '@app/embedded/ports';
import { expect, test } from 'vitest';
import { readCredentials, startStandalone } from './support/standalone.ts';

const readme = join(import.meta.dirname, '../README.md');

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

test('the README’s commands give what the README prints', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'funnelry-readme-'));
  const standalone = startStandalone(join(directory, '.data'), await freePort());
  try {
    await standalone.until(/^ready /);
    const { baseUrl } = await readCredentials(standalone.dataDir);
    const receiverPort = String(await freePort());
    const local = (text: string): string =>
      text.replaceAll('http://127.0.0.1:3000', baseUrl).replaceAll('3001', receiverPort);
    const steps = stepsOf(await readFile(readme, 'utf8'));
    expect(steps.length).toBeGreaterThanOrEqual(5);
    const script = steps.map((step) => `${local(step.commands)}\necho; echo "=== next"\n`).join('');
    const shell = ['-c', `trap 'kill $(jobs -p)' EXIT\n${script}`];
    const { stdout } = await promisify(execFile)('bash', shell, { cwd: directory, timeout: 60_000 });
    const outputs = stdout.split('=== next').map((output) => output.trim());
    for (const [index, step] of steps.entries()) {
      if (step.printed !== undefined) expect(outputs[index]).toMatch(pattern(local(step.printed)));
    }
  } finally {
    await standalone.end('SIGTERM');
    await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
});
