import { closeSync, fstatSync, mkdirSync, openSync, renameSync, rmSync, write as writeAsync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

export interface LogFileOptions {
  /** A file, which rotates, or a descriptor, which does not. */
  readonly destination: string | number;
  /** Default 10 MiB. With `filesKept` older ones (default 4) a log takes 50 MiB of the disk at most. */
  readonly bytesMax?: number;
  readonly filesKept?: number;
  /** Called once when lines begin to get lost, and once when they are written again. Default: standard error. */
  readonly warn?: (line: string) => void;
}

/** Blocks of this size are written at once, smaller ones within a second. */
const blockBytes = 4_096;
const flushIntervalMs = 1_000;
/** What may wait for a disk that hangs: some seconds of a busy log. */
const waitingBytesMax = 1_048_576;
/** A pipe whose reader is slow. */
const busyPauseMs = 100;

/** One hook for all of them: a process may have many. */
const open = new Set<LogFile>();
process.once('exit', () => {
  for (const file of open) file.flushSync();
});

/**
 * Where lines of text go, in blocks. It never throws, never waits and never grows: what cannot be written is dropped
 * and counted, and a line in the log says so once it can be written again.
 */
export class LogFile {
  readonly #path: string | undefined;
  readonly #bytesMax: number;
  readonly #filesKept: number;
  readonly #warn: (line: string) => void;
  readonly #timer: NodeJS.Timeout;
  #fd: number | undefined;
  #size = 0;
  #waiting = '';
  /** The block that is being written. */
  #block: Buffer | undefined;
  #lost = 0;
  #failure: string | undefined;
  #flushed: Array<() => void> = [];

  constructor(options: LogFileOptions) {
    const { destination, bytesMax = 10 * 1_048_576, filesKept = 4 } = options;
    if (typeof destination === 'number') this.#fd = destination;
    this.#path = typeof destination === 'string' ? destination : undefined;
    this.#bytesMax = bytesMax;
    this.#filesKept = filesKept;
    this.#warn = options.warn ?? ((line) => void process.stderr.write(`${line}\n`));
    this.#timer = setInterval(() => this.flush(), flushIntervalMs);
    this.#timer.unref();
    open.add(this);
    this.#ensureOpen(0);
  }

  /** Whole lines, each with its line feed. */
  write(text: string): void {
    if (this.#waiting.length + text.length > waitingBytesMax) {
      this.#lose(text, 'the disk is too slow');
      return;
    }
    this.#waiting += text;
    // While it fails, one attempt a second is enough.
    if (this.#waiting.length >= blockBytes && this.#failure === undefined) this.#next();
  }

  /** Begins to write what waits; calls back when it has been written, or cannot be. */
  flush(done?: () => void): void {
    if (done !== undefined) this.#flushed.push(done);
    this.#next();
  }

  /** Writes what waits here and now: for the end of the process. */
  flushSync(): void {
    const texts = [this.#block, Buffer.from(this.#waiting)];
    this.#block = undefined;
    this.#waiting = '';
    for (const text of texts) {
      if (text === undefined) continue;
      try {
        this.#ensureOpen(text.length);
        for (let at = 0; this.#fd !== undefined && at < text.length; ) at += writeSync(this.#fd, text, at);
      } catch {
        // No reader is left for an error.
      }
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await new Promise<void>((resolve) => this.flush(resolve));
    open.delete(this);
    if (this.#path !== undefined && this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  #next(): void {
    if (this.#block !== undefined) return;
    if (this.#lost > 0) {
      this.#block = Buffer.from(this.#lossLine());
    } else if (this.#waiting !== '') {
      this.#block = Buffer.from(this.#waiting);
      this.#waiting = '';
    } else {
      this.#resolveFlushes();
      return;
    }
    this.#ensureOpen(this.#block.length);
    this.#writeFrom(this.#block, 0);
  }

  #writeFrom(block: Buffer, from: number): void {
    if (this.#fd === undefined) {
      this.#drop(block, from, this.#failure ?? 'it is closed');
      return;
    }
    writeAsync(this.#fd, block, from, block.length - from, null, (err, written) => {
      // The end of the process has taken it over.
      if (this.#block !== block) return;
      if (err?.code === 'EAGAIN') {
        setTimeout(() => this.#writeFrom(block, from), busyPauseMs).unref();
        return;
      }
      if (err !== null) return this.#drop(block, from, err.message);
      this.#size += written;
      if (from + written < block.length) return this.#writeFrom(block, from + written);
      this.#block = undefined;
      if (this.#failure !== undefined) this.#recover();
      this.#next();
    });
  }

  /** The next attempt is the timer's. */
  #drop(block: Buffer, from: number, reason: string): void {
    this.#block = undefined;
    // Lost lines are announced before anything else is written: until then that is the block.
    if (this.#lost === 0) this.#lose(block.toString('utf8', from), reason);
    else this.#fail(reason);
    this.#resolveFlushes();
  }

  #lose(text: string, reason: string): void {
    this.#lost += text.split('\n').length - 1;
    this.#fail(reason);
  }

  #fail(reason: string): void {
    const first = this.#failure === undefined;
    this.#failure = reason;
    if (first) this.#warn(`The log ${this.#name} cannot be written, its lines are dropped: ${reason}`);
  }

  #recover(): void {
    this.#warn(`The log ${this.#name} is written again, without ${this.#lost} lines`);
    this.#failure = undefined;
    this.#lost = 0;
  }

  /** Begins with a line feed: half of a line may stand before it. */
  #lossLine(): string {
    const line = { level: 40, time: new Date().toISOString(), lost: this.#lost, reason: this.#failure };
    return `\n${JSON.stringify({ ...line, msg: 'lines of this log were lost' })}\n`;
  }

  #resolveFlushes(): void {
    for (const done of this.#flushed.splice(0)) done();
  }

  get #name(): string {
    return this.#path ?? 'of this process';
  }

  /** Opens the file where it is not open, and begins a new one where the next block would be too much. */
  #ensureOpen(more: number): void {
    if (this.#path === undefined) return;
    try {
      if (this.#fd !== undefined && this.#size > 0 && this.#size + more > this.#bytesMax) this.#rotate(this.#path);
      if (this.#fd !== undefined) return;
      mkdirSync(dirname(this.#path), { recursive: true });
      this.#fd = openSync(this.#path, 'a', 0o600);
      this.#size = fstatSync(this.#fd).size;
      if (this.#size > 0 && this.#size + more > this.#bytesMax) {
        this.#rotate(this.#path);
        this.#ensureOpen(more);
      }
    } catch (err) {
      this.#fail((err as Error).message);
    }
  }

  #rotate(path: string): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
    rmSync(`${path}.${this.#filesKept}`, { force: true });
    for (let n = this.#filesKept - 1; n >= 0; n--) {
      try {
        renameSync(n === 0 ? path : `${path}.${n}`, `${path}.${n + 1}`);
      } catch (err) {
        if ((err as NodeJS.ErrnoException).code !== 'ENOENT') throw err;
      }
    }
  }
}
