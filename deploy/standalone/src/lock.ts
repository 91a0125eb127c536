import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, startMark } from '@app/embedded/processes';

/** Takes the data directory for this process. @throws Error naming the process that has it */
export const lockDataDir = (dataDir: string): { release(): void } =>
  lockFile(
    join(dataDir, 'standalone.pid'),
    (pid) => `The data directory ${dataDir} is in use by process ${pid}. Stop that first, or choose another DATA_DIR.`,
  );

/**
 * Takes a file as this process's own. A lock whose process is gone (kill -9, a power cut) is taken over.
 * @param held what to say of the process that has it
 * @throws Error with that
 */
export function lockFile(file: string, held: (pid: string | undefined) => string): { release(): void } {
  const mine = `${process.pid} ${startMark(process.pid)}\n`;
  // Written first and linked after: a process that finds the lock finds it whole.
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, mine, { mode: 0o600 });
  try {
    for (let attempt = 0; attempt < 3; attempt++) {
      if (linked(draft, file)) return { release: () => releaseOwn(file, mine) };
      const holder = read(file);
      const [pid, mark] = holder.trim().split(' ');
      // Process ids are given anew: it is the one that wrote the lock when it also started when that one did.
      if (holder !== '' && isAlive(Number(pid)) && startMark(Number(pid)) === mark) throw new Error(held(pid));
      rmSync(file, { force: true });
    }
    throw new Error(`${file} could not be locked.`);
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
