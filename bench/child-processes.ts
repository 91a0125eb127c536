import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

interface Running {
  readonly pid: number;
  stop(): Promise<void>;
}

export interface Listening extends Running {
  readonly url: string;
}

interface Part extends Running {
  /** The first message it sent. */
  readonly ready: Record<string, unknown>;
  readonly child: ChildProcess;
  /** Sends it a message, and resolves with its next one. */
  request<Answer>(name: string): Promise<Answer>;
}

/** A process of the bench itself, with a message channel; it ends with us. */
export async function startPart(file: URL, env: NodeJS.ProcessEnv): Promise<Part> {
  const child = fork(file, { env, execArgv: [] });
  track(child);
  const ready = await new Promise<Record<string, unknown>>((resolve, reject) => {
    child.once('message', (message) => resolve(message as Record<string, unknown>));
    child.once('exit', (code) => reject(new Error(`${file.pathname} ended with ${code} before it was ready`)));
  });
  const request = async <Answer>(name: string): Promise<Answer> => {
    const answered = once(child, 'message');
    child.send(name);
    const [answer] = (await answered) as [Answer];
    return answer;
  };
  return { pid: child.pid ?? 0, ready, child, request, stop: () => stop(child) };
}

export interface Program extends Running {
  readonly readyAfterMs: number;
}

const readyWithinMs = 120_000;
const stopWithinMs = 15_000;

/**
 * A program that says when it is ready: in a line beginning `ready `, unless another is given. Its output goes to a file: a pipe would make the bench, which
 * should only watch, read every log line.
 */
export async function startProgram(
  args: string[],
  env: NodeJS.ProcessEnv,
  logFile: string,
  readyLine = /^ready /m,
): Promise<Program> {
  const log = openSync(logFile, 'w');
  const started = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', log, log] });
  closeSync(log);
  track(child);
  while (!readyLine.test(readFileSync(logFile, 'utf8'))) {
    const late = performance.now() - started > readyWithinMs;
    if (late || child.exitCode !== null || child.signalCode !== null) {
      child.kill('SIGKILL');
      const tail = readFileSync(logFile, 'utf8').split('\n').slice(-40).join('\n');
      throw new Error(`${args.at(-1)} ${late ? 'was not ready in time' : 'ended before it was ready'}:\n${tail}`);
    }
    await sleep(10);
  }
  return { pid: child.pid ?? 0, readyAfterMs: performance.now() - started, stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const timer = setTimeout(() => child.kill('SIGKILL'), stopWithinMs);
  child.kill('SIGTERM');
  await ended;
  clearTimeout(timer);
}

function track(child: ChildProcess): void {
  running.add(child);
  child.once('exit', () => running.delete(child));
}
