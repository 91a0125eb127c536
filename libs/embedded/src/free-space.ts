import { statfsSync } from 'node:fs';

/**
 * A server that is started with less than this would only end again: a PostgreSQL log file has 16 MB and is written
 * while the one before it is kept, nats-server's blocks have 8 MB.
 */
const roomBytes = 48 * 1_048_576;

export function freeBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}

/** Why servers on this directory have to wait; undefined when there is room. */
export function fullDisk(directory: string): string | undefined {
  if (freeBytes(directory) >= roomBytes) return undefined;
  return `the disk of ${directory} is full (less than ${roomBytes / 1_048_576} MB free)`;
}
