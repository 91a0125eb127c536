import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Stands between a client and a server, and can make the connections through it go silent as a lost network does. */
export interface TcpProxy {
  /** The server's URL, by way of the proxy. */
  readonly url: string;
  /** From now on no byte passes on the connections there are; new connections pass. */
  silence(): void;
  /** What the server sends passes no faster than this, in bytes a second. */
  pace(bytesPerSecond: number): void;
  /** From now on new connections are ended at once (`refuse`) or never answered (`hang`), and those there are as well. */
  fail(how: 'refuse' | 'hang'): void;
  /** From now on new connections go to this server. */
  lead(serverUrl: string): void;
  /** The server is back; connections that hung are ended. */
  restore(): void;
  /** Connections that came while it failed. */
  readonly failedConnections: number;
  close(): Promise<void>;
}

/**
 * A pace at which a PostgreSQL that asks for a password lets no client in within the 5 s that a service waits for a connection:
 * what comes after its question waits for the question's bytes, 9 for a password in clear text and 24 for SCRAM.
 */
export const lettingNobodyIn = 1.5;

export async function startTcpProxy(serverUrl: string): Promise<TcpProxy> {
  let target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let rate = Number.POSITIVE_INFINITY;
  let failing: 'refuse' | 'hang' | undefined;
  let failedConnections = 0;
  const hold = (client: Socket): void => {
    failedConnections += 1;
    client.on('error', () => undefined);
    if (failing === 'refuse') return void client.destroy();
    sockets.add(client);
    client.on('close', () => sockets.delete(client));
  };
  const server = createServer((client) => {
    if (failing !== undefined) return hold(client);
    const upstream = connect(Number(target.port), target.hostname);
    upstream.on('data', ({ length }: Buffer) => {
      if (rate === Number.POSITIVE_INFINITY) return;
      upstream.pause();
      setTimeout(() => upstream.resume(), (length / rate) * 1_000);
    });
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => undefined);
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(serverUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  const silence = (): void => {
    for (const socket of sockets) socket.unpipe().pause();
  };
  const destroyAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    silence,
    pace: (bytesPerSecond) => {
      rate = bytesPerSecond;
    },
    fail: (how) => {
      failing = how;
      if (how === 'hang') silence();
      else destroyAll();
    },
    lead: (url) => {
      target = new URL(url);
    },
    restore: () => {
      failing = undefined;
      destroyAll();
    },
    get failedConnections() {
      return failedConnections;
    },
    close: async () => {
      destroyAll();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
