import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The time that a cluster's processes live in. */
export interface Later {
  /** Of the processes. */
  readonly settings: Readonly<Record<string, string>>;
  nowMs(): number;
  /** Every process lives so much later, two milliseconds from now. */
  advance(ms: number): void;
  close(): void;
}

const preload = pathToFileURL(join(import.meta.dirname, 'moved-clock.ts')).href;

export function startLater(): Later {
  const folder = mkdtempSync(join(tmpdir(), 'later-'));
  const file = join(folder, 'offset');
  let offsetMs = 0;
  const write = (): void => {
    // Renamed, so that no reader sees half of it.
    writeFileSync(`${file}.new`, String(offsetMs));
    renameSync(`${file}.new`, file);
  };
  write();
  return {
    settings: { NODE_OPTIONS: `--import=${preload}`, CLOCK_OFFSET_FILE: file },
    nowMs: () => Date.now() + offsetMs,
    advance: (ms) => {
      offsetMs += ms;
      write();
    },
    close: () => rmSync(folder, { recursive: true }),
  };
}
