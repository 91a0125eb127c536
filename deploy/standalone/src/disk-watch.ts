import { freeBytes, fullDisk } from '@app/embedded/free-space';
import { type Gauge, observeGauges } from '@app/service-kit/metrics';

const checkEveryMs = 500;
/** One block of a stream: with less, a write of nats-server may have failed. */
const noneBytes = 8 * 1_048_576;

const free: Gauge = {
  name: 'disk.free',
  unit: 'By',
  of: 'process',
  description: 'Room on the disk of databases and streams, of the process that reports.',
};

/** Shows how much room is left. Call it once telemetry has started. */
export const observeDisk = (directory: string): { close(): void } =>
  observeGauges('standalone', [free], async () => [{ gauge: free, value: freeBytes(directory) }]);

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
