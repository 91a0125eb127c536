import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { stopWithinMs } from './child.ts';
import { removeContainer } from './nats-docker.ts';
import { DataDirInUseError } from './postgres-lock.ts';
import { commandOf, isAlive, startMark } from './processes.ts';

interface Life {
  readonly pid: number;
  readonly startMark: string;
}

interface Entry {
  /** The process that started the server. */
  readonly owner: Life;
  readonly server: Life;
  readonly container?: string;
}

/** Written right after the start, for the next start after a kill -9 of ours. */
export function recordServer(file: string, pid: number, container: string | undefined): void {
  const owner = { pid: process.pid, startMark: startMark(process.pid) };
  const server = { pid, startMark: startMark(pid) };
  const entry: Entry = { owner, server, ...(container === undefined ? {} : { container }) };
  writeFileSync(file, JSON.stringify(entry), { mode: 0o600 });
}

export function forgetServer(file: string, pid: number): void {
  if (read(file)?.server.pid === pid) rmSync(file, { force: true });
}

/**
 * Stops the server that a killed process of ours left behind, and waits until it has ended: two servers must never have
 * one directory.
 * @throws DataDirInUseError while the process that started it lives
 */
export async function stopLeftover(file: string, dataDir: string, program: string): Promise<void> {
  const entry = read(file);
  if (entry === undefined) return;
  const { owner, server, container } = entry;
  if (lives(server) && runs(server.pid, container === undefined ? program : 'docker')) {
    if (lives(owner)) {
      throw new DataDirInUseError(dataDir, owner.pid === process.pid ? 'this process' : `process ${owner.pid}`);
    }
    await end(server);
  }
  if (container !== undefined) removeContainer(container);
  rmSync(file, { force: true });
}

async function end(server: Life): Promise<void> {
  const killAt = Date.now() + stopWithinMs;
  send(server.pid, 'SIGTERM');
  for (let killed = false; lives(server); await sleep(20)) {
    if (killed || Date.now() < killAt) continue;
    killed = true;
    send(server.pid, 'SIGKILL');
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself.
  }
}

function lives({ pid, startMark: mark }: Life): boolean {
  return isAlive(pid) && startMark(pid) === mark;
}

/** Where there is no start time to compare, a process of another program has got the number. */
function runs(pid: number, program: string): boolean {
  return startMark(pid) !== '' || (commandOf(pid) ?? '').includes(program);
}

function read(file: string): Entry | undefined {
  try {
    const entry = JSON.parse(readFileSync(file, 'utf8')) as Partial<Entry>;
    return entry.server && entry.owner ? (entry as Entry) : undefined;
  } catch {
    return undefined;
  }
}
