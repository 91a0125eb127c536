import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Takes the data directory for this process. A lock whose process is gone (kill -9, a power cut) is taken over.
 * @throws Error naming the process that has it
 */
export function lockDataDir(dataDir: string): { release(): void } {
  const file = join(dataDir, 'standalone.pid');
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      const descriptor = openSync(file, 'wx', 0o600);
      writeSync(descriptor, `${process.pid}\n`);
      closeSync(descriptor);
      return { release: () => rmSync(file, { force: true }) };
    } catch (err) {
      if ((err as NodeJS.ErrnoException).code !== 'EEXIST') throw err;
      const pid = Number(readFileSync(file, 'utf8'));
      if (isOurs(pid)) {
        throw new Error(
          `The data directory ${dataDir} is in use by process ${pid}. Stop that first, or choose another DATA_DIR.`,
        );
      }
      rmSync(file, { force: true });
    }
  }
  throw new Error(`The data directory ${dataDir} could not be locked.`);
}

/** A process id can be given anew: where /proc tells, the process must also run Node on this program. */
function isOurs(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
  } catch (err) {
    return (err as NodeJS.ErrnoException).code === 'EPERM';
  }
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('standalone');
  } catch {
    return true;
  }
}
