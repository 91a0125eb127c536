/** What becomes of an event whose handling failed. */
export type Verdict = { kind: 'retry'; delayMs: number } | { kind: 'dead-letter' };

/**
 * Tries of an event that keeps failing: 1 s, 2 s, 4 s … 60 s, 60 s make about 6 minutes, which outlasts a roll-out: what
 * an old replica cannot read, a new one may. An outage of the database is nobody's fault and counts no tries.
 */
export const triesMax = 12;
const delayMaxMs = 60_000;

/** The one place that decides between another try and giving up. `tries` counts failures of its own, from 1. */
export function decide(err: unknown, tries: number): Verdict {
  const delayMs = Math.min(delayMaxMs, 1_000 * 2 ** Math.min(tries - 1, 10));
  if (isOutage(err)) return { kind: 'retry', delayMs: Math.min(delayMs, 5_000) };
  return tries >= triesMax ? { kind: 'dead-letter' } : { kind: 'retry', delayMs };
}

/**
 * Whether a batch that failed so may have one bad event in it: a statement that takes too long and a deadlock look like
 * outages, but may come from one event alone.
 */
export function mayBeOneEvent(err: unknown): boolean {
  const { code } = err as { code?: unknown };
  return !isOutage(err) || (typeof code === 'string' && /^(57014|40)/.test(code));
}

/** No connection came about: whatever was to be done was not begun. */
export function isUnreached(err: unknown): boolean {
  const { code, message } = err as { code?: unknown; message?: unknown };
  if (typeof code === 'string' && /^(ECONNREFUSED|ENOTFOUND|EAI_|EHOST|ENET|57P03|53300)/.test(code)) return true;
  return typeof message === 'string' && message.includes('timeout exceeded when trying to connect');
}

/** The statement found no room on the database's disk: its transaction is rolled back, nothing took effect. */
export function isDiskFull(err: unknown): boolean {
  return (err as { code?: unknown }).code === '53100';
}

/** For callers: what to think of a full disk. */
export const diskFullDetail = 'The disk of a database is full: nothing was written. Try again once it has room.';

/**
 * Faults of the surroundings: sockets, PostgreSQL classes 08 (connection), 53 (resources), 57 (shutdown), 40 (deadlock,
 * serialization), and neighbours that do not answer.
 */
export function isOutage(err: unknown): boolean {
  const { code, message } = err as { code?: unknown; message?: unknown };
  if (typeof code === 'string') {
    if (/^(08|53|57|40)[0-9A-Z]{3}$/.test(code)) return true;
    if (/^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_|EHOST|ENET)/.test(code)) return true;
    if (code === 'service_unavailable' || code === 'outcome_unknown') return true;
  }
  return (
    typeof message === 'string' &&
    /Connection terminated|timeout exceeded when trying to connect|Query read timeout|client has encountered a connection error/i.test(
      message,
    )
  );
}
