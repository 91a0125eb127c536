import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';

/** Whether a process with this id exists and is not a zombie. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (err) {
    return (err as NodeJS.ErrnoException).code === 'EPERM';
  }
  return statFields(pid)?.[0] !== 'Z';
}

/**
 * Names one life of a process id: ids are used again, above all in containers where they start at 1.
 * On Linux it is the start time in clock ticks since boot, elsewhere empty (then the id alone counts).
 */
export function startMark(pid: number): string {
  // Field 22 of /proc/<pid>/stat; the first field after the command's closing bracket is number 3.
  return statFields(pid)?.[19] ?? '';
}

/** Whether the process is a PostgreSQL server on this directory: a postmaster's working directory is its data. */
export function isPostmasterOf(pid: number, clusterDir: string): boolean {
  if (!isAlive(pid)) return false;
  if (process.platform === 'linux') {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === clusterDir;
    } catch {
      // Not ours to inspect: a process of another user, which cannot own our data directory.
      return false;
    }
  }
  return (commandOf(pid) ?? '').includes('postgres');
}

/** What the process runs, where there is no /proc to read; undefined when it is not there. */
export function commandOf(pid: number): string | undefined {
  const [file, args] =
    process.platform === 'win32'
      ? ['tasklist', ['/FI', `PID eq ${pid}`, '/FO', 'CSV', '/NH']]
      : ['ps', ['-p', String(pid), '-o', 'command=']];
  try {
    return execFileSync(file as string, args as string[], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return undefined;
  }
}

function statFields(pid: number): string[] | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
