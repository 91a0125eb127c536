import { freeBytes, fullDisk } from '@app/embedded/free-space';

const checkEveryMs = 500;
/** One block of a stream: with less, a write of nats-server may have failed. */
const noneBytes = 8 * 1_048_576;

export interface DiskWatch {
  /** Why nothing can be written right now, for callers; undefined when it can. */
  refusal(): string | undefined;
  close(): void;
}

export interface DiskWatchOptions {
  readonly directory: string;
  readonly say: (line: string) => void;
  /** Called when there is room again after there was none at all. */
  readonly afterNone: () => void;
}

/**
 * Watches the disk and says when it fills up and when there is room again. Writes are refused while some megabytes are
 * still free: what is under way needs them, and a PostgreSQL that cannot extend its log ends.
 */
export function watchDisk({ directory, say, afterNone }: DiskWatchOptions): DiskWatch {
  let full: string | undefined;
  let none = false;
  const check = (): void => {
    const now = fullDisk(directory);
    none ||= now !== undefined && freeBytes(directory) < noneBytes;
    if (now !== undefined && full === undefined) say(`${now}: writes are refused until space is free`);
    if (now === undefined && full !== undefined)
      say(`the disk of ${directory} has free space again: writes are accepted`);
    full = now;
    if (now !== undefined || !none) return;
    none = false;
    afterNone();
  };
  check();
  const timer = setInterval(check, checkEveryMs);
  timer.unref();
  const refusal = () =>
    full === undefined ? undefined : 'the disk of this deployment is full; try again once it has room';
  return { refusal, close: () => clearInterval(timer) };
}
