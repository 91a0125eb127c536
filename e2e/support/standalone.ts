import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { announcing, announcingStdio, hearAnnouncements } from '@app/testing/child-service';

/** `npm start` as a child process. */
export interface Standalone {
  readonly child: ChildProcess;
  readonly dataDir: string;
  output(): string;
  /**
   * Resolves when it has printed such a line.
   * @throws when it ends without one
   */
  until(line: RegExp): Promise<void>;
  /** Resolves with the exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>;
  readonly ended: Promise<number | null>;
}

export interface Credentials {
  readonly baseUrl: string;
  readonly email: string;
  readonly password: string;
  readonly apiKey: string;
  readonly platformKey: string;
}

const thisVersion = join(import.meta.dirname, '../../deploy/standalone/src/main.ts');

/** @param entry of another version, where it is not this one */
export function startStandalone(
  dataDir: string,
  port: number,
  settings: Record<string, string> = {},
  args: string[] = [],
  entry: string = thisVersion,
): Standalone {
  // Data that was made once is copied for many tests: they start as its original. No job runs that no test asked for.
  const env = {
    ...process.env,
    PORT: String(port),
    DATA_DIR: dataDir,
    INSTALLATION_ID: 'tests',
    DAILY_AT: 'off',
    ...settings,
  };
  const child = spawn(process.execPath, announcing(entry, ...args), { env, stdio: [...announcingStdio] });
  hearAnnouncements(child);
  const said = followOutput(child);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return {
    child,
    dataDir,
    ended,
    output: said.output,
    until: (line) => said.until(line, ended),
    end: async (signal) => {
      child.kill(signal);
      return await ended;
    },
  };
}

interface Said {
  output(): string;
  until(line: RegExp, ended: Promise<number | null>): Promise<void>;
}

/** A first start takes five seconds; a busy machine makes that a minute. */
const saidWithinMs = 200_000;

/** What a child process prints, as text and line by line. */
export function followOutput({ stdout, stderr }: ChildProcess): Said {
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  let output = '';
  const follow = (stream: Readable): void => {
    let rest = '';
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const whole = (rest + text).split('\n');
      rest = whole.pop() ?? '';
      lines.push(...whole);
      for (const check of [...waiting]) check();
    });
  };
  for (const stream of [stdout, stderr]) if (stream) follow(stream);
  return {
    output: () => output,
    until: async (line, ended) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const check = (): void => {
        if (lines.some((text) => line.test(text))) resolve();
      };
      const fail = (why: string): void => reject(new Error(`no line like ${line}: ${why}\n${output}`));
      const limit = AbortSignal.timeout(saidWithinMs);
      limit.onabort = () => fail(`it has not printed one within ${saidWithinMs / 1_000} s`);
      waiting.add(check);
      check();
      void ended.then((code) => fail(`it has ended with ${code}`));
      await promise.finally(() => waiting.delete(check));
    },
  };
}

export async function readCredentials(dataDir: string): Promise<Credentials> {
  return JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8')) as Credentials;
}
