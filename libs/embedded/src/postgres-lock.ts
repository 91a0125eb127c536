import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive, isPostmasterOf, startMark } from './processes.ts';

export class DataDirInUseError extends Error {
  constructor(dataDir: string, holder: string) {
    super(`The data directory ${dataDir} is in use by ${holder}. Stop that first, or choose another DATA_DIR`);
    this.name = 'DataDirInUseError';
  }
}

interface Owner {
  pid: number;
  startMark: string;
}

export interface Claim {
  /** The server's process id, once it runs: when it dies, the directory is free again. */
  serverPid?: number;
  release(): void;
}

const held = new Map<string, Claim>();

/**
 * Claims the data directory for this process, and stops a server that a killed process left behind in it.
 * @throws DataDirInUseError while another living process, or another call of this one, holds it
 */
export async function claimDataDir(dataDir: string, clusterDir: string): Promise<Claim> {
  const ownerFile = join(dataDir, 'owner.json');
  const holder = held.get(dataDir);
  // One that was killed a moment ago needs a few milliseconds to disappear.
  for (let attempts = 0; attempts < 5 && holder?.serverPid !== undefined && isAlive(holder.serverPid); attempts++)
    await sleep(20);
  if (holder && (holder.serverPid === undefined || isAlive(holder.serverPid))) {
    throw new DataDirInUseError(dataDir, 'this process');
  }
  if (held.has(dataDir) && held.get(dataDir) !== holder) throw new DataDirInUseError(dataDir, 'this process');
  const claim: Claim = {
    release() {
      // A claim made after our server's death stays.
      if (held.get(dataDir) !== claim) return;
      held.delete(dataDir);
      rmSync(ownerFile, { force: true });
    },
  };
  held.set(dataDir, claim);
  try {
    const owner = readOwner(ownerFile);
    if (owner && owner.pid !== process.pid && isSameLife(owner)) {
      throw new DataDirInUseError(dataDir, `process ${owner.pid}`);
    }
    const postmaster = readPostmasterPid(clusterDir);
    if (postmaster !== undefined && isPostmasterOf(postmaster, clusterDir)) {
      if (!owner) throw new DataDirInUseError(dataDir, `the PostgreSQL server with process id ${postmaster}`);
      await stopLeftover(postmaster);
    }
    // Stale, or its number went to another process: PostgreSQL itself would refuse to start in the second case.
    if (postmaster !== undefined) rmSync(join(clusterDir, 'postmaster.pid'), { force: true });
    mkdirSync(dataDir, { recursive: true });
    writeFileSync(ownerFile, JSON.stringify({ pid: process.pid, startMark: startMark(process.pid) } satisfies Owner));
  } catch (err) {
    held.delete(dataDir);
    throw err;
  }
  return claim;
}

async function stopLeftover(postmaster: number): Promise<void> {
  process.kill(postmaster, 'SIGINT');
  const quitAt = Date.now() + 8_000;
  for (let requested = false; isAlive(postmaster); await sleep(20)) {
    if (!requested && Date.now() > quitAt) {
      requested = true;
      process.kill(postmaster, 'SIGQUIT');
    }
  }
}

function readOwner(file: string): Owner | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Owner;
  } catch {
    return undefined;
  }
}

function isSameLife(owner: Owner): boolean {
  return isAlive(owner.pid) && startMark(owner.pid) === owner.startMark;
}

function readPostmasterPid(clusterDir: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(join(clusterDir, 'postmaster.pid'), 'utf8'), 10);
    return pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}
