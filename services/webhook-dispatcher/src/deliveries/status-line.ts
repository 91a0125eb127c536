import type { Socket } from 'node:net';

/** Learns of the status line of its answer, as soon as it has come. */
export interface StatusReader {
  /**
   * @param status 200 or more: interim responses are passed over
   * @param address that it came from
   */
  onStatusLine(status: number, address: string | null): void;
}

/** Whose request undici is about to write: it announces a request and writes it within one call. */
let beginning: StatusReader | null = null;

/** Called when undici announces the request that it writes next. */
export function beginRequest(reader: StatusReader): void {
  beginning = reader;
}

/** `HTTP/1.1 200` */
const lineBytes = 12;
const statusLine = /^HTTP\/1\.[01] (\d{3})/;
const begin = 'HTTP/1.';
const startsLikeOne = (bytes: Buffer): boolean => begin.startsWith(bytes.toString('latin1', 0, begin.length));
const headEnd = '\r\n\r\n';
/** As much as undici takes of a head. */
const headMaxBytes = 16 * 1024;

/**
 * Reads the status lines of the answers that come on a connection, and takes interim responses (1xx) out of it: undici closes the
 * connection at 100, and at a head whose status is plain but whose fields it refuses, as two lengths. What a receiver
 * acknowledged would be sent to it again.
 * @param socket a connection of undici's, with one request at a time
 */
export function readStatusLines(socket: Socket): void {
  const answer = new AnswerHead(() => socket.remoteAddress ?? null);
  const { read, write } = socket;
  socket.read = (size?: number) => {
    const chunk: Buffer | null = read.call(socket, size);
    return chunk === null ? null : answer.pass(chunk);
  };
  socket.write = ((...parts: Parameters<Socket['write']>): boolean => {
    if (beginning !== null) answer.awaitFor(beginning);
    beginning = null;
    return write.apply(socket, parts);
  }) as Socket['write'];
}

/** The head of the answer that a connection waits for. */
class AnswerHead {
  /** Null when the status line has come, or is none. */
  #reader: StatusReader | null = null;
  #held: Buffer | null = null;
  readonly #address: () => string | null;

  constructor(address: () => string | null) {
    this.#address = address;
  }

  awaitFor(reader: StatusReader): void {
    this.#reader = reader;
    this.#held = null;
  }

  /** The part of the bytes that undici gets now; null when it has to wait for more. */
  pass(chunk: Buffer): Buffer | null {
    if (this.#reader === null) return chunk;
    let bytes = this.#held === null ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = null;
    while (bytes.length >= lineBytes) {
      const status = Number(statusLine.exec(bytes.toString('latin1', 0, lineBytes))?.[1] ?? 0);
      const isInterim = status >= 100 && status < 200 && status !== 101;
      if (!isInterim) return this.#end(bytes, status);
      const end = bytes.indexOf(headEnd);
      if (end === -1 && bytes.length > headMaxBytes) return this.#end(bytes, 0);
      if (end === -1) break;
      bytes = bytes.subarray(end + headEnd.length);
    }
    if (!startsLikeOne(bytes)) return this.#end(bytes, 0);
    if (bytes.length > 0) this.#held = bytes;
    return null;
  }

  /** @param status 0 for what is no status line: undici says what is wrong with it */
  #end(bytes: Buffer, status: number): Buffer {
    if (status >= 200) this.#reader?.onStatusLine(status, this.#address());
    this.#reader = null;
    return bytes;
  }
}
