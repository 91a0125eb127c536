import type { ServiceName } from '@app/contracts/services';
import { connect, type NatsConnection } from '@nats-io/transport-node';

export interface NatsOptions {
  readonly url: string;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  /** PEM files; given, even empty, the connection is encrypted or there is none. */
  readonly tls?: { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string };
  readonly service: ServiceName;
}

/** A connection that reconnects for ever, and says when it is away so that nobody waits for an answer that cannot come. */
export interface NatsLink {
  readonly connection: NatsConnection;
  readonly service: ServiceName;
  connected(): boolean;
  /** Resolves true as soon as the link is up, false when it is not up within the limit. */
  whenConnected(limitMs: number): Promise<boolean>;
  /** Calls `listener` at every loss of the connection; returns the way to stop listening. */
  onLost(listener: () => void): () => void;
  onRestored(listener: () => void): () => void;
  /** Throws when the server does not answer. */
  check(): Promise<void>;
  /** Lets handlers finish, then closes. */
  close(): Promise<void>;
}

/** Inboxes are named after the service, so that one service's user may not read another's answers. */
export const inboxPrefix = (service: ServiceName): string => `_INBOX_${service.replaceAll('-', '_')}`;

export async function connectNats(options: NatsOptions): Promise<NatsLink> {
  const connection = await connect({
    servers: options.url,
    name: options.service,
    ...(options.user === undefined ? {} : { user: options.user }),
    ...(options.password === undefined ? {} : { pass: options.password }),
    ...(options.tls === undefined ? {} : { tls: options.tls }),
    inboxPrefix: inboxPrefix(options.service),
    // The client would make an error object with a stack for every request, in case it fails: a tenth of an order's CPU.
    noAsyncTraces: true,
    maxReconnectAttempts: -1,
    waitOnFirstConnect: true,
    reconnectTimeWait: 100,
    reconnectJitter: 50,
    // A peer that vanished without closing is noticed after two silent pings: 2 × 5 s.
    pingInterval: 5_000,
    maxPingOut: 2,
  });
  const state = { up: true };
  const [onLost, tellLost] = listeners();
  const [onRestored, tellRestored] = listeners();
  void followStatus(connection, state, tellLost, tellRestored);
  return {
    connection,
    service: options.service,
    connected: () => state.up && !connection.isClosed(),
    whenConnected: (limitMs) => (state.up ? Promise.resolve(true) : waitForRestore(onRestored, limitMs)),
    onLost,
    onRestored,
    check: async () => {
      if (!state.up || connection.isClosed()) throw new Error('not connected to NATS');
      await connection.flush();
    },
    close: async () => {
      if (!connection.isClosed()) await (state.up ? connection.drain() : connection.close());
    },
  };
}

type Listen = (listener: () => void) => () => void;

function listeners(): [Listen, () => void] {
  const all = new Set<() => void>();
  const listen: Listen = (listener) => {
    all.add(listener);
    return () => void all.delete(listener);
  };
  return [listen, () => [...all].forEach((listener) => void listener())];
}

async function followStatus(
  connection: NatsConnection,
  state: { up: boolean },
  tellLost: () => void,
  tellRestored: () => void,
): Promise<void> {
  for await (const status of connection.status()) {
    if (status.type === 'disconnect' && state.up) {
      state.up = false;
      tellLost();
    } else if (status.type === 'reconnect') {
      state.up = true;
      tellRestored();
    }
  }
}

function waitForRestore(onRestored: Listen, limitMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => finish(false), limitMs);
    const stop = onRestored(() => finish(true));
    function finish(result: boolean): void {
      clearTimeout(timer);
      stop();
      resolve(result);
    }
  });
}
