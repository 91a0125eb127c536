import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { guardLeaks } from '@app/testing/leak-guard';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { repository } from '../src/bundle/sources.ts';

guardLeaks();

const program = `
  import v8 from 'node:v8';
  const { heap_size_limit: limit } = v8.getHeapStatistics();
  console.log(JSON.stringify({ pid: process.pid, ppid: process.ppid, flags: process.execArgv, arguments: process.argv.slice(2), limit }));
  process.exit(7);
`;

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'launcher '));
  writeFileSync(join(folder, 'program.mjs'), program);
});
afterEach(() => rmSync(folder, { recursive: true }));

// Windows cannot replace a process.
test.runIf(process.platform !== 'win32')(
  'a program of deploy/node.js has the flags of v8-flags.js, in the process that was started',
  async () => {
    const launcher = join(repository, 'deploy/node.js');
    const args = ['--no-warnings', launcher, join(folder, 'program.mjs'), '--empty'];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const closed = once(child, 'close');
    const said = JSON.parse(await text(child.stdout));
    expect(said).toMatchObject({ pid: child.pid, ppid: process.pid, arguments: ['--empty'] });
    expect(said.flags).toEqual(
      expect.arrayContaining(['--no-warnings', '--max-old-space-size=256', '--heap-growing-percent=100']),
    );
    // Without them V8 takes gigabytes, where the machine has as much.
    expect(said.limit / 2 ** 20).toBeLessThan(512);
    expect(await closed).toEqual([7, null]);
  },
);
