import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { clientOfAddress } from './client-address.rules.ts';

export interface ConnectionLimits {
  /** Connections at once, and those of one address. */
  readonly total: number;
  readonly perAddress: number;
  /** For a request's head, from the connection's begin or the previous response; for all of it; between requests. */
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  /** How often the three timeouts above and the one below are checked. */
  readonly checkIntervalMs: number;
  /** For a client that reads nothing of its response. All of it may take this, and a second for each `bytesPerSecond`. */
  readonly readTimeoutMs: number;
  readonly bytesPerSecond: number;
  /** Requests of one connection that wait for the one before them. */
  readonly pipelined: number;
}

export interface ConnectionWatcher {
  /** Responds on a connection beyond the limit, and closes it. */
  reject(socket: Socket): void;
  /** How many since the last check were rejected, and how many were closed because their clients did not read. */
  report(counts: { rejected: number; unread: number }): void;
}

interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

/** The connections of one client address; the idle ones in the order in which they became idle. */
interface Client {
  count: number;
  readonly idle: Set<Connection>;
}

interface Connection {
  readonly socket: Socket;
  readonly address: string;
  readonly client: Client;
  readonly waiting: Exchange[];
  current: Exchange | null;
  /** When the client must have read the response in the socket's buffer; 0 while the buffer is empty. */
  readByMs: number;
  /** How many bytes the socket has sent when those are read. */
  readTo: number;
}

/**
 * The connections of this process's HTTP servers. Bounds their number, serves the requests of each one after the other,
 * and closes those whose clients neither send nor read.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #watcher: ConnectionWatcher;
  readonly #bySocket = new WeakMap<Socket, Connection>();
  readonly #clients = new Map<string, Client>();
  readonly #idle = new Set<Connection>();
  /** In the order in which their requests began. */
  readonly #busy = new Set<Connection>();
  #rejected = 0;
  #unread = 0;
  #closing = false;

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
      // Node would reject a request without Host with an empty body.
      requireHostHeader: false,
    });
    const enqueue = (req: IncomingMessage, res: ServerResponse) => this.#enqueue({ req, res }, handler);
    // Node would reject an unknown expectation with an empty body.
    server.on('request', enqueue).on('checkExpectation', enqueue);
    server.on('connection', (socket: Socket) => this.#add(socket));
    const timer = setInterval(() => this.#check(), checkIntervalMs).unref();
    server.on('close', () => clearInterval(timer));
    return server;
  }

  #add(socket: Socket): void {
    if (this.#closing) return void socket.destroy();
    const address = clientOfAddress(socket.remoteAddress ?? '');
    const client = this.#clients.get(address) ?? { count: 0, idle: new Set<Connection>() };
    const hasRoom =
      (client.count < this.#limits.perAddress || this.#close(client.idle, client)) &&
      (this.#idle.size + this.#busy.size < this.#limits.total || this.#close(this.#idle));
    if (!hasRoom) {
      this.#rejected += 1;
      this.#watcher.reject(socket);
      return;
    }
    const connection: Connection = { socket, address, client, waiting: [], current: null, readByMs: 0, readTo: 0 };
    client.count += 1;
    this.#clients.set(address, client);
    this.#bySocket.set(socket, connection);
    this.#setIdle(connection);
    socket.once('close', () => this.#remove(connection));
    // Counts before Node's own listener destroys the socket.
    socket.prependListener('timeout', () => {
      if (connection.readByMs > 0) this.#unread += 1;
    });
  }

  /**
   * For the server's close, which would otherwise wait for connections without a request, also for those that become so
   * only once their responses are sent. From now on every response whose head is still to be sent says `Connection: close`.
   */
  closeIdle(): void {
    this.#closing = true;
    for (const { socket } of this.#idle) socket.destroy();
    for (const { current } of this.#busy) if (current !== null) markLast(current.res);
  }

  /** Closes the connection that has been idle longest, else one whose request is still arriving. False without either. */
  #close(idle: ReadonlySet<Connection>, client?: Client): boolean {
    const [oldest = this.#oldestArriving(client)] = idle;
    if (oldest === undefined) return false;
    this.#remove(oldest);
    oldest.socket.destroy();
    return true;
  }

  #oldestArriving(client?: Client): Connection | undefined {
    for (const connection of this.#busy) {
      const arriving = connection.current?.req.complete === false;
      if (arriving && (client === undefined || connection.client === client)) return connection;
    }
    return undefined;
  }

  #remove(connection: Connection): void {
    if (!this.#bySocket.delete(connection.socket)) return;
    const { client, address } = connection;
    this.#idle.delete(connection);
    this.#busy.delete(connection);
    client.idle.delete(connection);
    client.count -= 1;
    if (client.count === 0) this.#clients.delete(address);
  }

  /** One after the other: of a hundred pipelined requests, ninety-nine wait and hold no response in memory. */
  #enqueue(exchange: Exchange, handler: RequestListener): void {
    const connection = this.#bySocket.get(exchange.req.socket);
    // The connection was rejected, closed for another one, or its last response is sent.
    if (connection === undefined) return void exchange.req.socket.destroy();
    if (connection.current === null) this.#begin(connection, exchange, handler);
    else if (connection.waiting.length < this.#limits.pipelined) connection.waiting.push(exchange);
    else connection.socket.destroy();
  }

  #begin(connection: Connection, exchange: Exchange, handler: RequestListener): void {
    connection.current = exchange;
    this.#idle.delete(connection);
    connection.client.idle.delete(connection);
    this.#busy.add(connection);
    exchange.res.once('close', () => this.#finish(connection, handler));
    if (this.#closing) markLast(exchange.res);
    handler(exchange.req, exchange.res);
  }

  #finish(connection: Connection, handler: RequestListener): void {
    connection.current = null;
    this.#busy.delete(connection);
    if (!this.#bySocket.has(connection.socket) || connection.socket.destroyed) return;
    const next = connection.waiting.shift();
    // After a response that said `Connection: close` nothing may take effect: its response could not be sent.
    const ended = !connection.socket.writable || (this.#closing && next === undefined);
    if (ended) return void this.#end(connection);
    if (next === undefined) {
      this.#setIdle(connection);
      return;
    }
    this.#setReadDeadline(connection, 0, 0);
    this.#begin(connection, next, handler);
  }

  /** Closes the connection once what was written to it is sent. */
  #end(connection: Connection): void {
    this.#remove(connection);
    connection.socket.destroySoon();
  }

  #setIdle(connection: Connection): void {
    connection.readByMs = 0;
    this.#idle.add(connection);
    connection.client.idle.add(connection);
  }

  #check(): void {
    this.#closeSlowReaders(performance.now());
    const counts = { rejected: this.#rejected, unread: this.#unread };
    if (counts.rejected > 0 || counts.unread > 0) this.#watcher.report(counts);
    this.#rejected = 0;
    this.#unread = 0;
  }

  #closeSlowReaders(nowMs: number): void {
    for (const connection of this.#busy) {
      const { socket, readByMs, readTo } = connection;
      const bytes = socket.writableLength;
      // A file that is made while it is sent always has some bytes waiting: it is read when those of the deadline are gone.
      const wereRead = socket.bytesWritten - bytes >= readTo;
      if (bytes === 0 || readByMs === 0 || wereRead) this.#setReadDeadline(connection, bytes, nowMs);
      else if (nowMs >= connection.readByMs) this.#closeUnread(connection);
    }
  }

  /** These bytes wait in the socket's buffer from now on. The socket's own timeout, which progress defers, closes it. */
  #setReadDeadline(connection: Connection, bytes: number, nowMs: number): void {
    if (bytes === 0 && connection.readByMs === 0) return;
    const { readTimeoutMs, bytesPerSecond } = this.#limits;
    connection.readTo = connection.socket.bytesWritten;
    connection.readByMs = bytes === 0 ? 0 : nowMs + readTimeoutMs + (bytes / bytesPerSecond) * 1_000;
    connection.socket.setTimeout(bytes === 0 ? 0 : readTimeoutMs);
  }

  #closeUnread(connection: Connection): void {
    this.#unread += 1;
    connection.socket.destroy();
  }
}

/** Makes a response, unless its head has gone out, the last one on its connection. */
function markLast(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader('connection', 'close');
}
