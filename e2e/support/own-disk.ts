import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pollSystem } from '@app/testing/poll-system';

/** A disk of one test's own, which it may fill. */
export interface OwnDisk {
  /** Leaves no byte. */
  fill(): void;
  /** Takes away what filled it. */
  empty(): void;
  /** Once nothing uses it any more. */
  close(): Promise<void>;
}

/** Whether this machine lets us have a disk of our own: else a test would have to fill everybody's. Where it does not, it is said once. */
export const mayMount: boolean = (() => {
  if (process.platform === 'linux' && process.getuid?.() === 0) {
    const directory = mkdtempSync(join(tmpdir(), 'funnelry-mount-'));
    try {
      mount(directory, 1);
      execFileSync('umount', [directory]);
      return true;
    } catch {
      // Said below.
    } finally {
      rmdirSync(directory);
    }
  }
  process.stderr.write('No disk is filled up here: that needs Linux, root and the right to mount.\n');
  return false;
})();

function mount(directory: string, megabytes: number): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', directory], { stdio: 'ignore' });
}

function unmounts(directory: string): boolean {
  try {
    execFileSync('umount', [directory], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Requires `mayMount`. @param directory is not there yet */
export function mountDisk(directory: string, megabytes: number): OwnDisk {
  mkdirSync(directory);
  mount(directory, megabytes);
  const filler = join(directory, 'filler');
  return {
    fill: () => fill(filler),
    empty: () => rmSync(filler),
    close: async () => void (await pollSystem('the disk is not used any more', () => unmounts(directory))),
  };
}

function fill(file: string): void {
  const fd = openSync(file, 'w');
  for (let size = 1_048_576; size >= 1; ) {
    try {
      writeSync(fd, Buffer.alloc(size));
    } catch {
      size = Math.floor(size / 16);
    }
  }
  closeSync(fd);
}
