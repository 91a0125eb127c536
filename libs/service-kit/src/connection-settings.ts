/**
 * A node that freezes or loses its network closes no connection. PostgreSQL probes a silent connection after 10 s and gives it
 * up after three unanswered probes of 5 s each; what it has sent and the peer did not acknowledge counts as silence too. So
 * row locks and advisory locks of such a node are free within 25 s, not after the two hours of the kernel's default.
 */
const serverSettings = {
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '25s',
  /**
   * A process that was stopped still has a kernel that answers, so its locks would stay. Others wait for them for less than their
   * statements may take (15 s). No transaction here waits for anything but statements.
   */
  idle_in_transaction_session_timeout: '5s',
};

/**
 * A process that reads its own code on a busy machine may take seconds between two statements of a transaction. So long is less than others
 * wait for a lock, and than a lock session that has stopped keeps its own.
 */
export const patient = { idle_in_transaction_session_timeout: '12s' };

/** A lock session runs a query every 5 s: a process that missed four of them has stopped. */
export const idleLockSession = { ...patient, idle_session_timeout: '20s' };
export const keepAliveEveryMs = 5_000;

/** No caller waits for an answer while a service starts: on a busy machine a server that has just started takes its time. */
export const connectAtStartMs = 30_000;

/** Settings of every connection to PostgreSQL, for `pg`. */
export function connectionSettings(more: Readonly<Record<string, string>> = {}) {
  const settings = Object.entries({ ...serverSettings, ...more });
  return {
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    // The client's own probes, for a server that vanished while no statement was running: every second, ten times.
    keepAliveInitialDelayMillis: 10_000,
    options: settings.map(([name, value]) => `-c ${name}=${value}`).join(' '),
  };
}
