import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { callerOfAddress } from '../auth/address.rules.ts';

export interface ConnectionLimits {
  /** Connections at once, and those of one address. */
  readonly total: number;
  readonly perAddress: number;
  /** For a request's head, from the connection or the answer before; for all of it; between requests. */
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  /** How often the three above and the one below are looked at. */
  readonly checkIntervalMs: number;
  /** For an answer of which nothing is taken; the whole of it may take this and a second for each `bytesPerSecond`. */
  readonly takeTimeoutMs: number;
  readonly bytesPerSecond: number;
  /** Requests of one connection that wait for the one before them. */
  readonly pipelined: number;
}

export interface ConnectionWatcher {
  /** Answers on a connection that finds no place, and closes it. */
  refuse(socket: Socket): void;
  /** How many since the last check found no place, and how many were closed because they did not take their answer. */
  report(counts: { refused: number; untaken: number }): void;
}

interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

/** The connections of one address; those between two requests in the order in which they fell idle. */
interface Caller {
  count: number;
  readonly idle: Set<Connection>;
}

interface Connection {
  readonly socket: Socket;
  readonly address: string;
  readonly caller: Caller;
  readonly waiting: Exchange[];
  current: Exchange | null;
  /** When the answer that waits in the socket must be taken; 0 while none waits. */
  takenByMs: number;
}

/**
 * The connections of this process's HTTP servers: how many there are, that each is served one request after the other,
 * and that none stays whose client says nothing or takes nothing.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #watcher: ConnectionWatcher;
  readonly #bySocket = new WeakMap<Socket, Connection>();
  readonly #callers = new Map<string, Caller>();
  readonly #idle = new Set<Connection>();
  /** In the order in which their requests began. */
  readonly #busy = new Set<Connection>();
  #refused = 0;
  #untaken = 0;

  constructor(limits: ConnectionLimits, watcher: ConnectionWatcher) {
    this.#limits = limits;
    this.#watcher = watcher;
  }

  createServer(handler: RequestListener): Server {
    const { headersTimeoutMs, requestTimeoutMs, keepAliveTimeoutMs, checkIntervalMs } = this.#limits;
    const server = createServer({
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: keepAliveTimeoutMs,
      connectionsCheckingInterval: checkIntervalMs,
      // Left to Node, a request without Host gets an answer without a word.
      requireHostHeader: false,
    });
    const take = (req: IncomingMessage, res: ServerResponse) => this.#take({ req, res }, handler);
    // Node would refuse an expectation it does not know without a word.
    server.on('request', take).on('checkExpectation', take);
    server.on('connection', (socket: Socket) => this.#add(socket));
    const timer = setInterval(() => this.#check(), checkIntervalMs).unref();
    server.on('close', () => clearInterval(timer));
    return server;
  }

  #add(socket: Socket): void {
    const address = callerOfAddress(socket.remoteAddress ?? '');
    const caller = this.#callers.get(address) ?? { count: 0, idle: new Set<Connection>() };
    const mayStay =
      (caller.count < this.#limits.perAddress || this.#close(caller.idle, caller)) &&
      (this.#idle.size + this.#busy.size < this.#limits.total || this.#close(this.#idle));
    if (!mayStay) {
      this.#refused += 1;
      this.#watcher.refuse(socket);
      return;
    }
    const connection: Connection = { socket, address, caller, waiting: [], current: null, takenByMs: 0 };
    caller.count += 1;
    this.#callers.set(address, caller);
    this.#bySocket.set(socket, connection);
    this.#rest(connection);
    socket.once('close', () => this.#remove(connection));
    // Before Node's own listener, which destroys it, comes the count.
    socket.prependListener('timeout', () => {
      if (connection.takenByMs > 0) this.#untaken += 1;
    });
  }

  /** When the server closes: who has no request under way is not waited for. */
  closeIdle(): void {
    for (const { socket } of this.#idle) socket.destroy();
  }

  /** Makes room: the one that has been idle longest goes, or one whose request is still arriving. */
  #close(idle: ReadonlySet<Connection>, caller?: Caller): boolean {
    const [oldest = this.#oldestArriving(caller)] = idle;
    if (oldest === undefined) return false;
    this.#remove(oldest);
    oldest.socket.destroy();
    return true;
  }

  #oldestArriving(caller?: Caller): Connection | undefined {
    for (const connection of this.#busy) {
      const arriving = connection.current?.req.complete === false;
      if (arriving && (caller === undefined || connection.caller === caller)) return connection;
    }
    return undefined;
  }

  #remove(connection: Connection): void {
    if (!this.#bySocket.delete(connection.socket)) return;
    const { caller, address } = connection;
    this.#idle.delete(connection);
    this.#busy.delete(connection);
    caller.idle.delete(connection);
    caller.count -= 1;
    if (caller.count === 0) this.#callers.delete(address);
  }

  /** One after the other: of a hundred requests that come in one piece, ninety-nine wait and hold no answers. */
  #take(exchange: Exchange, handler: RequestListener): void {
    const connection = this.#bySocket.get(exchange.req.socket);
    // One that was refused, or closed to make room.
    if (connection === undefined) return void exchange.req.socket.destroy();
    if (connection.current === null) this.#begin(connection, exchange, handler);
    else if (connection.waiting.length < this.#limits.pipelined) connection.waiting.push(exchange);
    else connection.socket.destroy();
  }

  #begin(connection: Connection, exchange: Exchange, handler: RequestListener): void {
    connection.current = exchange;
    this.#idle.delete(connection);
    connection.caller.idle.delete(connection);
    this.#busy.add(connection);
    exchange.res.once('close', () => this.#finish(connection, handler));
    handler(exchange.req, exchange.res);
  }

  #finish(connection: Connection, handler: RequestListener): void {
    connection.current = null;
    this.#busy.delete(connection);
    if (!this.#bySocket.has(connection.socket) || connection.socket.destroyed) return;
    const next = connection.waiting.shift();
    if (next === undefined) {
      this.#rest(connection);
      return;
    }
    this.#expectTaken(connection, 0, 0);
    this.#begin(connection, next, handler);
  }

  #rest(connection: Connection): void {
    connection.takenByMs = 0;
    this.#idle.add(connection);
    connection.caller.idle.add(connection);
  }

  #check(): void {
    this.#closeWhoDoesNotRead(performance.now());
    const counts = { refused: this.#refused, untaken: this.#untaken };
    if (counts.refused > 0 || counts.untaken > 0) this.#watcher.report(counts);
    this.#refused = 0;
    this.#untaken = 0;
  }

  #closeWhoDoesNotRead(nowMs: number): void {
    for (const connection of this.#busy) {
      const bytes = connection.socket.writableLength;
      if (bytes === 0 || connection.takenByMs === 0) this.#expectTaken(connection, bytes, nowMs);
      else if (nowMs >= connection.takenByMs) this.#giveUp(connection);
    }
  }

  /** From now on these bytes wait in the socket: its own time-out, which progress puts off, closes it when nothing is taken. */
  #expectTaken(connection: Connection, bytes: number, nowMs: number): void {
    if (bytes === 0 && connection.takenByMs === 0) return;
    const { takeTimeoutMs, bytesPerSecond } = this.#limits;
    connection.takenByMs = bytes === 0 ? 0 : nowMs + takeTimeoutMs + (bytes / bytesPerSecond) * 1_000;
    connection.socket.setTimeout(bytes === 0 ? 0 : takeTimeoutMs);
  }

  #giveUp(connection: Connection): void {
    this.#untaken += 1;
    connection.socket.destroy();
  }
}
