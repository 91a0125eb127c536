import { readFileSync } from 'node:fs';
import type { ConnectionLimits } from './connections.ts';
import type { EdgeConfig } from './edge-config.ts';

/** A client that sends its request byte by byte holds a connection for no longer than this. */
const headersTimeoutMs = 10_000;
const requestTimeoutMs = 30_000;
/** Longer than the 60 s after which common load balancers drop an idle connection: they close it, not we under them. */
const keepAliveTimeoutMs = 72_000;

/**
 * Half of the descriptors that this process may open is for connections; the other half is for databases, NATS, webhooks
 * and files. One address may have half of the connections, unless it is a proxy's, which carries everyone's.
 */
export function connectionLimits({ MAX_CONNECTIONS, TRUST_PROXY }: EdgeConfig): ConnectionLimits {
  const total = Math.min(MAX_CONNECTIONS, Math.floor(descriptorsMax() / 2));
  return {
    total,
    perAddress: TRUST_PROXY > 0 ? total : Math.ceil(total / 2),
    headersTimeoutMs,
    requestTimeoutMs,
    keepAliveTimeoutMs,
    checkIntervalMs: 1_000,
    // The longest response, 8 MiB, may take 10 s and 64 s, which is one megabit a second.
    readTimeoutMs: 10_000,
    bytesPerSecond: 128 * 1024,
    // About 5 KB each.
    pipelined: 100,
  };
}

/** Files and sockets that this process may have open, where the system shows it (Linux). */
function descriptorsMax(): number {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
