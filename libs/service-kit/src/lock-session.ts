import pg from 'pg';
import { connectionSettings, idleLockSession, keepAliveEveryMs } from './connection-settings.ts';

/**
 * A connection of its own for an advisory lock that must last for as long as its process runs, and no longer: when the
 * process is killed, the connection ends with it; when it is stopped or cut off, it no longer sends the queries that keep
 * the session alive, and PostgreSQL ends it.
 */
export interface LockSession {
  readonly client: pg.Client;
  /** Whether the session, and with it its lock, is gone. */
  lost(): boolean;
  close(): Promise<void>;
}

/** A server that went silent is given up after this; above every statement's own limit. */
const queryTimeoutMs = 20_000;

/**
 * @param onLost called once when the session ends without having been closed
 * @param more settings of PostgreSQL for this session
 */
export async function openLockSession(
  where: Readonly<pg.ClientConfig>,
  onLost: () => void = () => undefined,
  more: Readonly<Record<string, string>> = {},
): Promise<LockSession> {
  const usual = connectionSettings({ ...idleLockSession, ...more });
  const { connectionTimeoutMillis = usual.connectionTimeoutMillis } = where;
  const client = new pg.Client({ ...where, query_timeout: queryTimeoutMs, ...usual, connectionTimeoutMillis });
  let state: 'open' | 'lost' | 'closed' = 'open';
  const lose = (): void => {
    clearInterval(timer);
    if (state !== 'open') return;
    state = 'lost';
    onLost();
  };
  // Without a listener for errors a server that goes away would end the process.
  client.on('error', lose);
  client.on('end', lose);
  let requested = false;
  // One at a time: after a statement that takes long, more of them would only queue up.
  const keepAlive = (): void => {
    if (requested) return;
    requested = true;
    const done = (): void => {
      requested = false;
    };
    client.query('select 1').then(done, lose);
  };
  let timer: NodeJS.Timeout | undefined;
  const close = async (): Promise<void> => {
    state = state === 'lost' ? 'lost' : 'closed';
    clearInterval(timer);
    await client.end().catch(() => undefined);
  };
  try {
    await client.connect();
  } catch (err) {
    await close();
    throw err;
  }
  timer = setInterval(keepAlive, keepAliveEveryMs);
  timer.unref();
  return { client, lost: () => state === 'lost', close };
}
