import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { type Standalone, startStandalone } from './standalone.ts';

let directory: string;
/** Of the test that is running. It is not there before the first start. */
export let dataDir: string;
/** What the test has started. */
export let running: Standalone[];

/** Called at the top of a test file: each test has a folder of its own, and what it started there ends with it. */
export function folderForEachTest(): void {
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'funnelry-standalone-'));
    dataDir = join(directory, 'data');
    running = [];
  });
  afterEach(async () => {
    for (const standalone of running) await standalone.end('SIGKILL');
    await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  });
}

/** `npm start` in the test's folder. */
export function startInFolder(port: number, settings: Record<string, string> = {}, args: string[] = []): Standalone {
  const standalone = startStandalone(dataDir, port, settings, args);
  running.push(standalone);
  return standalone;
}
