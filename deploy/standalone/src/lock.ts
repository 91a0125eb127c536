import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, startMark } from '@app/embedded/processes';

/**
 * Takes the data directory for this process. A lock whose process is gone (kill -9, a power cut) is taken over.
 * @throws Error naming the process that has it
 */
export function lockDataDir(dataDir: string): { release(): void } {
  const file = join(dataDir, 'standalone.pid');
  const mine = `${process.pid} ${startMark(process.pid)}\n`;
  // Written first and linked after: a process that finds the lock finds it whole.
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, mine, { mode: 0o600 });
  try {
    for (let attempt = 0; attempt < 3; attempt++) {
      if (linked(draft, file)) return { release: () => releaseOwn(file, mine) };
      const held = read(file);
      const [pid, mark] = held.trim().split(' ');
      // Process ids are given anew: it is the one that wrote the lock when it also started when that one did.
      if (held !== '' && isAlive(Number(pid)) && startMark(Number(pid)) === mark) {
        throw new Error(
          `The data directory ${dataDir} is in use by process ${pid}. Stop that first, or choose another DATA_DIR.`,
        );
      }
      rmSync(file, { force: true });
    }
    throw new Error(`The data directory ${dataDir} could not be locked.`);
  } finally {
    rmSync(draft, { force: true });
  }
}

function linked(draft: string, file: string): boolean {
  try {
    linkSync(draft, file);
    return true;
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw err;
  }
}

function releaseOwn(file: string, mine: string): void {
  if (read(file) === mine) rmSync(file, { force: true });
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
