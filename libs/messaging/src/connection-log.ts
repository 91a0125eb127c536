import type { Logger } from '@app/service-kit/logger';
import { PermissionViolationError } from '@nats-io/transport-node';

/** An outage is logged at its beginning, then each half minute, then at its end. */
const repeatEveryMs = 30_000;
/** A forbidden subject is logged once a minute, however often it is tried. */
const forbiddenEveryMs = 60_000;

export interface ConnectionLog {
  unreachable(err: unknown): void;
  lost(): void;
  reached(): void;
  error(err: unknown): void;
  /** The connection ended without being closed here. */
  closed(): void;
  /** From here on a lost connection is expected. */
  closing(): void;
}

/** One clear line for each change of the connection to NATS, with its cause and how long it lasted. */
export function logConnectionState(logger: Logger | undefined, url: string): ConnectionLog {
  const server = withoutPassword(url);
  let awaySinceMs: number | undefined;
  let cause: unknown;
  let repeat: NodeJS.Timeout | undefined;
  let closing = false;
  const forbidden = new Map<string, number>();
  const awaySeconds = (): number => Math.round((performance.now() - (awaySinceMs ?? performance.now())) / 1_000);
  const begin = (message: string): void => {
    if (awaySinceMs !== undefined || closing) return;
    awaySinceMs = performance.now();
    logger?.warn({ server, cause: textOf(cause) }, message);
    const again = (): void => {
      logger?.warn({ server, cause: textOf(cause), awaySeconds: awaySeconds() }, 'NATS is still unavailable');
    };
    repeat = setInterval(again, repeatEveryMs);
    repeat.unref();
  };
  return {
    unreachable: (err) => {
      cause = err;
      begin('NATS cannot be reached; trying until it can');
    },
    lost: () => begin('NATS is lost; reconnecting'),
    reached: () => {
      clearInterval(repeat);
      if (awaySinceMs !== undefined) logger?.info({ server, awaySeconds: awaySeconds() }, 'NATS is available again');
      awaySinceMs = undefined;
      cause = undefined;
    },
    error: (err) => {
      if (!(err instanceof PermissionViolationError)) {
        cause = err;
        return;
      }
      const nowMs = performance.now();
      if (nowMs - (forbidden.get(err.message) ?? Number.NEGATIVE_INFINITY) < forbiddenEveryMs) return;
      if (forbidden.size >= 100) forbidden.clear();
      forbidden.set(err.message, nowMs);
      logger?.error({ server, err }, 'NATS denied this service a subject');
    },
    closed: () => {
      clearInterval(repeat);
      if (!closing)
        logger?.error({ server, cause: textOf(cause) }, 'the connection to NATS closed and will not reopen');
    },
    closing: () => {
      closing = true;
      clearInterval(repeat);
    },
  };
}

const textOf = (cause: unknown): string => {
  if (cause === undefined) return 'the server closed the connection';
  if (!(cause instanceof Error)) return String(cause);
  // Node leaves the message of a refused connection to several addresses empty.
  const { code } = cause as { code?: unknown };
  const inner = cause.cause instanceof Error ? `: ${cause.cause.message}` : '';
  return `${cause.message || String(code ?? cause.name)}${inner}`;
};

function withoutPassword(url: string): string {
  return url.replace(/\/\/[^/@]*@/, '//');
}
