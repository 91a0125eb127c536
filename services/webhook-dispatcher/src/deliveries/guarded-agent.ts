import { promises as dns, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import buildConnector from 'undici/lib/core/connect.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import { isAllowedAddress, isLoopbackName, isRefusedPort } from './public-address.ts';
import { readStatusLines, type StatusReader } from './status-line.ts';

const connectTimeoutMs = 5_000;
/** The delivery scheduler limits the requests. Sellers who share a host must not wait for each other's connections. */
const connectionsMax = 1_024;

class AddressRefusedError extends Error {
  override readonly name = 'AddressRefusedError';
  readonly code = 'ADDRESS_REFUSED';
}

class PortRefusedError extends Error {
  override readonly name = 'PortRefusedError';
  readonly code = 'PORT_REFUSED';
}

export interface NameServers {
  resolve4(name: string): Promise<string[]>;
  resolve6(name: string): Promise<string[]>;
}

/**
 * How long the steps of opening a connection took, in milliseconds, and which of them is under way. A step is null that
 * is not done, or not needed: an address is not looked up, `http:` has no TLS.
 */
export interface Opening {
  step: 'lookup' | 'connect' | 'tls' | 'done';
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
}

/** A handler that learns of the connection that is opened for its request; null while a connection that was open serves it. It calls `beginRequest`. */
export interface MeasuredHandler extends Dispatcher.DispatchHandler, StatusReader {
  opening: Opening | null;
}

/** What bounds the connections to addresses (host-rates.ts). */
export interface AddressRates {
  mayConnect(hostname: string, addresses: readonly string[]): readonly string[];
  connected(hostname: string, address: string): void;
}

/** No connection was made: the addresses have acknowledged nothing and got what all accounts may send them. */
export class AddressBusyError extends Error {
  override readonly name = 'AddressBusyError';
}

/** An undici agent, as far as deliveries need one. */
export interface GuardedAgent {
  dispatch(request: Dispatcher.DispatchOptions, handler: MeasuredHandler): void;
  destroy(): Promise<void>;
}

/**
 * An agent that connects to public addresses only. It checks a literal address before it connects, because no look-up
 * happens for it, and checks a name's addresses in the very look-up whose result it connects to, so that a name cannot
 * resolve to another address in between.
 *
 * It measures each connection that it opens. undici calls the connector while the request is dispatched that needs it,
 * so no search is needed for that request, and a request on an open connection costs two assignments.
 */
export function createGuardedAgent(options: {
  allowLoopback: boolean;
  nameServers?: NameServers;
  rates?: AddressRates;
}): GuardedAgent {
  const { rates } = options;
  const lookup = guardedLookup(options.allowLoopback, options.nameServers ?? resolver, rates);
  const connect = buildConnector({ timeout: connectTimeoutMs, allowH2: false, lookup });
  let opener: MeasuredHandler | null = null;
  const agent = new Agent({
    connections: connectionsMax,
    pipelining: 1,
    allowH2: false,
    // The attempt's own time limit covers the whole exchange.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (target, callback) => {
      const measured = opener;
      opener = null;
      const host = target.hostname.replace(/^\[|\]$/g, '');
      if (isIP(host) !== 0 && !isAllowedAddress(host, options.allowLoopback)) {
        callback(new AddressRefusedError(`${host} is not a public address`), null);
        return;
      }
      if (target.port && isRefusedPort(Number(target.port))) {
        callback(new PortRefusedError(`webhooks are not sent to port ${target.port}`), null);
        return;
      }
      const begunMs = performance.now();
      // undici returns the socket before it is connected; its types do not say so.
      const socket = connect({ ...target, hostname: host }, callback) as unknown as Socket;
      readStatusLines(socket);
      if (rates !== undefined)
        socket.once('connect', () => {
          if (socket.remoteAddress !== undefined) rates.connected(host, socket.remoteAddress);
        });
      if (measured !== null)
        measured.opening = measureOpening(socket, begunMs, {
          lookUp: isIP(host) === 0,
          secure: target.protocol === 'https:',
        });
    },
  });
  return {
    dispatch: (request, handler) => {
      opener = handler;
      agent.dispatch(request, handler);
      opener = null;
    },
    destroy: () => agent.destroy(),
  };
}

/** @param socket whose connection has just been begun */
function measureOpening(socket: Socket, begunMs: number, steps: { lookUp: boolean; secure: boolean }): Opening {
  const { lookUp, secure } = steps;
  const opening: Opening = { step: lookUp ? 'lookup' : 'connect', dnsMs: null, connectMs: null, tlsMs: null };
  let stepMs = begunMs;
  const lap = (): number => {
    const nowMs = performance.now();
    const ms = Math.round(nowMs - stepMs);
    stepMs = nowMs;
    return ms;
  };
  // Each goes before undici's own listener, which sends the request: that time is the first byte's. Once, because every
  // address that is tried is distinguished.
  socket.prependOnceListener('lookup', (err: Error | null) => {
    opening.dnsMs = lap();
    if (err === null) opening.step = 'connect';
  });
  socket.prependOnceListener('connect', () => {
    opening.connectMs = lap();
    opening.step = secure ? 'tls' : 'done';
  });
  if (secure)
    socket.prependOnceListener('secureConnect', () => {
      opening.tlsMs = lap();
      opening.step = 'done';
    });
  return opening;
}

/**
 * Queries the name servers directly and not through libuv's four threads, which one seller's names that never resolve would
 * occupy. So the hosts file is not read; names in it are not public anyway.
 */
const resolver = new dns.Resolver({ timeout: 2_000, tries: 2 });

function guardedLookup(
  allowLoopback: boolean,
  nameServers: NameServers,
  rates: AddressRates | undefined,
): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, nameServers).then(
      (found) => {
        const isPublic = found.filter(({ address }) => isAllowedAddress(address, allowLoopback));
        const free = rates?.mayConnect(
          hostname,
          isPublic.map(({ address }) => address),
        );
        const allowed = free === undefined ? isPublic : isPublic.filter(({ address }) => free.includes(address));
        const [first] = allowed;
        if (isPublic.length === 0) callback(new AddressRefusedError(`${hostname} has no public address`), '');
        else if (first === undefined) callback(new AddressBusyError(`${hostname} has got its part`), '');
        else if (options.all) callback(null, allowed);
        else callback(null, first.address, first.family);
      },
      (err: NodeJS.ErrnoException) => callback(err, ''),
    );
  };
}

async function resolve(hostname: string, nameServers: NameServers): Promise<LookupAddress[]> {
  if (isLoopbackName(hostname))
    return [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ];
  const [v4, v6] = await Promise.allSettled([nameServers.resolve4(hostname), nameServers.resolve6(hostname)]);
  const found = [...lookupResults(v4, 4), ...lookupResults(v6, 6)];
  if (found.length === 0 && v4.status === 'rejected') throw v4.reason;
  return found;
}

function lookupResults(result: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] {
  return result.status === 'fulfilled' ? result.value.map((address) => ({ address, family })) : [];
}
