import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { announcing, announcingStdio, hearAnnouncements } from '@app/testing/child-service';
import { eventually } from '@app/testing/eventually';

/** `npm start` as a child process. */
export interface Standalone {
  readonly child: ChildProcess;
  readonly dataDir: string;
  output(): string;
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

export function startStandalone(
  dataDir: string,
  port: number,
  settings: Record<string, string> = {},
  args: string[] = [],
): Standalone {
  const env = { ...process.env, PORT: String(port), DATA_DIR: dataDir, ...settings };
  const entry = join(import.meta.dirname, '../../deploy/standalone/src/main.ts');
  const child = spawn(process.execPath, announcing([entry, ...args]), { env, stdio: [...announcingStdio] });
  hearAnnouncements(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const seen = (line: RegExp): true => {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}:\n${output}`);
    if (!output.split('\n').some((text) => line.test(text))) throw new Error(`it said:\n${output}`);
    return true;
  };
  return {
    child,
    dataDir,
    ended,
    output: () => output,
    until: async (line) => {
      await eventually(() => seen(line), { withinMs: 200_000, message: `no line ${line}` });
    },
    end: async (signal) => {
      child.kill(signal);
      return await ended;
    },
  };
}

export async function readCredentials(dataDir: string): Promise<Credentials> {
  return JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8')) as Credentials;
}
