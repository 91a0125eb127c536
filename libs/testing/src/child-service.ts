import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { announcements } from '@app/service-kit/points';

export interface SpawnOptions {
  /** The line of stdout or stderr that means ready; without it the process counts as ready at once. */
  readyLine?: RegExp;
  /** Gets the output as well. */
  logFile?: string;
  /** Default 60,000. */
  readyWithinMs?: number;
}

export interface SpawnedNode {
  readonly pid: number;
  /** Sends the signal and resolves when the process has ended; does nothing after that. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** The exit code of the current process, null when a signal ended it. */
  readonly exited: Promise<number | null>;
  /** Everything written so far, over all restarts. */
  output(): string;
  /** Kills with -9 if it still runs, starts the same again, resolves when ready. */
  restart(): Promise<void>;
}

const root = join(import.meta.dirname, '../../..');
/** Loaded before a child's own code: what it announces is announced here. */
const forwarder = join(import.meta.dirname, 'forward-announcements.ts');

/** The file of the run's bundle of programs, where it has this source file. */
function bundled(file: string): string | undefined {
  const { TEST_PROGRAMS } = process.env;
  if (TEST_PROGRAMS === undefined) return undefined;
  const program = join(TEST_PROGRAMS, relative(root, resolve(file)).replace(/\.ts$/, '.mjs'));
  return existsSync(program) ? program : undefined;
}

/** In megabytes, as the heap of a process begins: loading a service takes 4 collections instead of 14, and a quarter less CPU. */
const roomToLoad = '--min-semi-space-size=16';

/** For a child that `spawn` started: its arguments and standard streams, with what it takes to receive its announcements. */
export function announcing(entry: string, ...args: string[]): string[] {
  const program = bundled(entry);
  const announcer = (program && bundled(forwarder)) ?? forwarder;
  return [roomToLoad, '--import', pathToFileURL(announcer).href, program ?? entry, ...args];
}
export const announcingStdio = ['ignore', 'pipe', 'pipe', 'ipc'] as const;
export function hearAnnouncements(child: ChildProcess): void {
  child.on('message', (message) => announcements.publish(message));
}

const alive = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});

/**
 * Starts Node on a .ts file as a process of its own, for tests that kill it. `env` is all the environment it gets but PATH
 * and the directory in which Node keeps compiled modules.
 */
export async function spawnNode(
  entry: string,
  env: Record<string, string>,
  options: SpawnOptions = {},
): Promise<SpawnedNode> {
  let output = '';
  const collect = (text: string) => {
    output += text;
    if (options.logFile) appendFileSync(options.logFile, text);
  };
  let life = await startLife(entry, env, options, collect);
  const kill = async (signal: NodeJS.Signals = 'SIGKILL') => {
    life.child.kill(signal);
    await life.exited;
  };
  return {
    get pid() {
      return life.child.pid ?? 0;
    },
    get exited() {
      return life.exited;
    },
    output: () => output,
    kill,
    async restart() {
      await kill();
      life = await startLife(entry, env, options, collect);
    },
  };
}

interface Life {
  child: ChildProcess;
  exited: Promise<number | null>;
}

async function startLife(
  entry: string,
  env: Record<string, string>,
  options: SpawnOptions,
  collect: (text: string) => void,
): Promise<Life> {
  const child = spawn(process.execPath, announcing(entry), {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env },
    stdio: [...announcingStdio],
  });
  hearAnnouncements(child);
  alive.add(child);
  // 'close' comes after the last output, 'exit' may come before it.
  const exited = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  void exited.then(() => alive.delete(child));
  await untilReady(child, exited, options, collect);
  return { child, exited };
}

async function untilReady(
  child: ChildProcess,
  exited: Promise<number | null>,
  options: SpawnOptions,
  collect: (text: string) => void,
): Promise<void> {
  const { readyLine, readyWithinMs = 60_000 } = options;
  let seen = '';
  let timer: NodeJS.Timeout | undefined;
  const ready = new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      const text = chunk.toString('utf8');
      collect(text);
      if (readyLine === undefined) return;
      seen += text;
      if (seen.split('\n').some((line) => readyLine.test(line))) resolve();
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('error', reject);
    void exited.then((code) => reject(new Error(`The process ended with ${code} before it was ready:\n${seen}`)));
    timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`The process was not ready within ${readyWithinMs} ms:\n${seen}`));
    }, readyWithinMs);
    if (readyLine === undefined) resolve();
  });
  await ready.finally(() => clearTimeout(timer));
}
