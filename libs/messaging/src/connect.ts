import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceName } from '@app/contracts/services';
import type { Logger } from '@app/service-kit/logger';
import type { Check } from '@app/service-kit/service';
import {
  AuthorizationError,
  type ConnectionOptions,
  connect,
  type NatsConnection,
  type Status,
} from '@nats-io/transport-node';
import { type ConnectionLog, logConnectionState } from './connection-log.ts';
import { type NatsName, newInbox } from './names.ts';
import { connectionChanged } from './points.ts';

export interface NatsOptions<Name extends NatsName = ServiceName> {
  readonly url: string;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  /** PEM files; given, even empty, the connection is encrypted or there is none. */
  readonly tls?: { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string };
  readonly service: Name;
  /** Gets a line when NATS cannot be reached, is lost and is back. */
  readonly logger?: Logger | undefined;
  /** How long a server is waited for, in milliseconds; for as long as it takes unless given. */
  readonly waitMs?: number;
}

/** A connection that reconnects for ever, and says when it is away so that no caller waits for an answer that cannot come. */
export interface NatsClient<Name extends NatsName = ServiceName> {
  readonly connection: NatsConnection;
  readonly service: Name;
  connected(): boolean;
  /** How long ago it was lost or came back, in milliseconds; infinite while neither has happened. */
  sinceChangeMs(): number;
  /** Resolves true as soon as NATS is connected, false when it is not within the limit. */
  whenConnected(limitMs: number): Promise<boolean>;
  /** Calls `listener` at every loss of the connection; returns the way to stop listening. */
  onLost(listener: () => void): () => void;
  onRestored(listener: () => void): () => void;
  /** @throws Error when the server does not answer */
  check(): Promise<void>;
  /** @throws Error when only a new process can go on: the connection is closed for good, or was given up */
  checkOpen(): void;
  /** What was opened on the connection has ended for good, and this process has no way to open it again. */
  giveUp(reason: string): void;
  /** Lets handlers finish, then closes. */
  close(): Promise<void>;
}

const firstConnectPauseMs = 250;

/**
 * Waits for a server for as long as it takes, unless the options limit it.
 * @throws Error when the server refuses the user, or was not there in time
 */
export async function connectNats<Name extends NatsName>(options: NatsOptions<Name>): Promise<NatsClient<Name>> {
  const log = logConnectionState(options.logger, options.url);
  const connection = await connectFirst(optionsOf(options), log, options.waitMs);
  const state = { up: true, changedMs: Number.NEGATIVE_INFINITY, givenUp: '' };
  const [onLost, notifyLost] = listeners();
  const [onRestored, notifyRestored] = listeners();
  const change = (up: boolean): void => {
    if (state.up === up) return;
    state.up = up;
    state.changedMs = performance.now();
    if (up) notifyRestored();
    else notifyLost();
    connectionChanged.announce(() => ({ service: options.service, up }));
  };
  void followStatus(connection, change, log);
  return {
    connection,
    service: options.service,
    connected: () => state.up && !connection.isClosed(),
    sinceChangeMs: () => performance.now() - state.changedMs,
    whenConnected: (limitMs) => (state.up ? Promise.resolve(true) : waitForRestore(onRestored, limitMs)),
    onLost,
    onRestored,
    check: async () => {
      if (!state.up || connection.isClosed()) throw new Error('not connected to NATS');
      await connection.flush();
    },
    checkOpen: () => {
      if (connection.isClosed()) throw new Error('the connection to NATS closed and will not reopen');
      if (state.givenUp !== '') throw new Error(state.givenUp);
    },
    giveUp: (reason) => {
      state.givenUp = reason;
    },
    close: async () => {
      log.closing();
      if (!connection.isClosed()) await (state.up ? connection.drain() : connection.close());
    },
  };
}

function optionsOf(options: NatsOptions<NatsName>): ConnectionOptions {
  return {
    servers: options.url,
    name: options.service,
    ...(options.user === undefined ? {} : { user: options.user }),
    ...(options.password === undefined ? {} : { pass: options.password }),
    ...(options.tls === undefined ? {} : { tls: options.tls }),
    // Of what the client itself requests, which is JetStream and the keeper alone.
    inboxPrefix: newInbox(options.service, 'streams'),
    // The client would make an error object with a stack for every request, in case it fails: a tenth of an order's CPU.
    noAsyncTraces: true,
    // A server that takes the connection and says nothing.
    timeout: 5_000,
    maxReconnectAttempts: -1,
    // Else two refusals in a row (a server that restarts with an older configuration) close the connection for good.
    ignoreAuthErrorAbort: true,
    reconnectTimeWait: 100,
    reconnectJitter: 50,
    // A peer that vanished without closing is detected after two silent pings: 2 × 5 s.
    pingInterval: 5_000,
    maxPingOut: 2,
  };
}

/** NATS among the checks of a service. */
export function natsCheck(nats: NatsClient<NatsName>): Check {
  return { name: 'nats', check: () => nats.check(), checkAlive: () => nats.checkOpen() };
}

async function connectFirst(
  options: ConnectionOptions,
  log: ConnectionLog,
  waitMs = Number.POSITIVE_INFINITY,
): Promise<NatsConnection> {
  const giveUpMs = performance.now() + waitMs;
  while (true) {
    try {
      const connection = await connect(options);
      log.reached();
      return connection;
    } catch (err) {
      if (err instanceof AuthorizationError && !isLate(err)) throw err;
      if (performance.now() > giveUpMs) throw err;
      log.unreachable(err);
      await sleep(firstConnectPauseMs);
    }
  }
}

/** The server let the time for the name and the password pass: this process got no CPU, which is no refusal. */
const isLate = ({ message }: AuthorizationError): boolean => /authentication timeout/i.test(message);

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
  change: (up: boolean) => void,
  log: ConnectionLog,
): Promise<void> {
  for await (const status of connection.status()) {
    logStatus(status, log);
    if (status.type === 'disconnect') change(false);
    else if (status.type === 'reconnect') change(true);
  }
  change(false);
}

function logStatus(status: Status, log: ConnectionLog): void {
  if (status.type === 'disconnect') log.lost();
  else if (status.type === 'reconnect') log.reached();
  else if (status.type === 'error') log.error(status.error);
  else if (status.type === 'staleConnection') log.error(new Error('the server did not answer two pings'));
  else if (status.type === 'close') log.closed();
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
