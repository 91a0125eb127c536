import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Account {
  uid: number;
  gid: number;
  /** Capabilities to keep after giving up root, e.g. `dac_override`. */
  capabilities: string[];
}

/** Its output is on standard error, through a pipe that must be read. */
export interface ServerCommand {
  file: string;
  args: string[];
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** The account to run as; only for root. */
  account?: Account;
  /** What the kernel sends the server when the thread that started it ends. */
  signalOnOurDeath: 'INT' | 'TERM' | 'KILL';
}

/**
 * Starts a server that does not outlive us. Linux does the watching (prctl PR_SET_PDEATHSIG, through
 * util-linux' setpriv, which replaces itself with the server, so the process id is the server's): it holds
 * even when we are killed with -9. Where there is no setpriv (macOS, Windows) a server stays behind after a
 * kill -9, and the next start finds and stops it by its pid file.
 */
export function spawnServer(command: ServerCommand): ChildProcess {
  const { account } = command;
  const env = command.env ?? process.env;
  // Detached: Ctrl-C in a terminal goes to the whole foreground group, and we are the one who decides when servers stop.
  const stdio: ['ignore', 'ignore', 'pipe'] = ['ignore', 'ignore', 'pipe'];
  const options = { stdio, env, detached: process.platform !== 'win32', ...(command.cwd ? { cwd: command.cwd } : {}) };
  const setpriv = findSetpriv();
  if (setpriv === undefined) {
    return spawn(command.file, command.args, {
      ...options,
      ...(account ? { uid: account.uid, gid: account.gid } : {}),
    });
  }
  const wrapper = [`--pdeathsig=${command.signalOnOurDeath}`];
  if (account) wrapper.push(`--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups');
  for (const name of account?.capabilities ?? []) wrapper.push(`--inh-caps=+${name}`, `--ambient-caps=+${name}`);
  return spawn(setpriv, [...wrapper, '--', command.file, ...command.args], options);
}

/**
 * An orderly stop takes a second; `npm start` gives its servers three and a half. A nats-server 2.9 that met a full disk
 * never ends by itself, and both have what was written on disk, or replay it, whichever way they end.
 */
export const stopWithinMs = 2_500;

/** Resolves when the process has ended; sends the last signal if the first one has not ended it within `afterMs`. */
export async function stopChild(
  child: ChildProcess,
  signals: { first: NodeJS.Signals; last: NodeJS.Signals; afterMs: number },
): Promise<void> {
  if (hasEnded(child)) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill(signals.first);
  const timer = setTimeout(() => child.kill(signals.last), signals.afterMs);
  await ended;
  clearTimeout(timer);
}

export function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
}

const pollEveryMs = 20;

/**
 * Polls a server that is starting until it answers.
 * @param limit how long it may take, what it is called, and the signal that ends one that took longer
 * @returns false when it has ended by itself
 * @throws Error when it could not be run, or has neither answered nor ended in time
 */
export async function untilItAnswers(
  child: ChildProcess,
  answers: () => Promise<boolean>,
  limit: { readonly name: string; readonly withinMs: number; readonly last: NodeJS.Signals },
): Promise<boolean> {
  const giveUpAt = Date.now() + limit.withinMs;
  let failure: unknown;
  child.once('error', (err) => {
    failure = err;
  });
  while (Date.now() < giveUpAt) {
    if (failure !== undefined) throw failure;
    if (hasEnded(child)) return false;
    if (await answers()) return true;
    await sleep(pollEveryMs);
  }
  child.kill(limit.last);
  throw new Error(`${limit.name} did not answer within ${limit.withinMs / 1000} s`);
}

/** Resolves with how the process ended, from inside or outside. */
export function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    const say = (code: number | null, signal: string | null) => resolve(signal ?? `exit code ${code}`);
    if (hasEnded(child)) say(child.exitCode, child.signalCode);
    else child.once('exit', say);
  });
}

/** The first file of that name on PATH or in the other directories that can be executed. */
export function findExecutable(name: string, path: string | undefined, alsoIn: string[] = []): string | undefined {
  const file = process.platform === 'win32' ? `${name}.exe` : name;
  for (const directory of [...(path ?? '').split(delimiter).filter(Boolean), ...alsoIn]) {
    try {
      accessSync(join(directory, file), constants.X_OK);
      return join(directory, file);
    } catch {
      // not there
    }
  }
  return undefined;
}

export function findSetpriv(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  return findExecutable('setpriv', process.env.PATH);
}
