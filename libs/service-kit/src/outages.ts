/** What a pool of `pg` says of a connection that came about too late, and what a client says. */
const connectTimeouts = /timeout exceeded when trying to connect|^timeout expired$/;

/** No connection came about: whatever was to be done was not begun. */
export function isUnreached(err: unknown): boolean {
  const { code, message } = err as { code?: unknown; message?: unknown };
  if (typeof code === 'string' && /^(ECONNREFUSED|ENOTFOUND|EAI_|EHOST|ENET|57P03|53300)/.test(code)) return true;
  return typeof message === 'string' && connectTimeouts.test(message);
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
    (connectTimeouts.test(message) ||
      /Connection terminated|Query read timeout|client has encountered a connection error/i.test(message))
  );
}
