import type { ServiceName } from '@app/contracts/services';
import { connect, type NatsConnection } from '@nats-io/transport-node';

export interface NatsOptions {
  readonly url: string;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
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
    inboxPrefix: inboxPrefix(options.service),
    maxReconnectAttempts: -1,
    waitOnFirstConnect: true,
    reconnectTimeWait: 100,
    reconnectJitter: 50,
    // A peer that vanished without closing is noticed after two silent pings: 2 × 5 s.
    pingInterval: 5_000,
    maxPingOut: 2,
  });
  const lost = new Set<() => void>();
  const restored = new Set<() => void>();
  let up = true;
  void (async () => {
    for await (const status of connection.status()) {
      if (status.type === 'disconnect' && up) {
        up = false;
        for (const listener of [...lost]) listener();
      } else if (status.type === 'reconnect') {
        up = true;
        for (const listener of [...restored]) listener();
      }
    }
  })();
  const subscribe = (listeners: Set<() => void>) => (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  const onRestored = subscribe(restored);
  return {
    connection,
    service: options.service,
    connected: () => up && !connection.isClosed(),
    whenConnected: (limitMs) => (up ? Promise.resolve(true) : waitForRestore(onRestored, limitMs)),
    onLost: subscribe(lost),
    onRestored,
    check: async () => {
      if (!up || connection.isClosed()) throw new Error('not connected to NATS');
      await connection.flush();
    },
    close: async () => {
      if (!connection.isClosed()) await (up ? connection.drain() : connection.close());
    },
  };
}

function waitForRestore(onRestored: (listener: () => void) => () => void, limitMs: number): Promise<boolean> {
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
