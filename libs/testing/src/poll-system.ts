import { setTimeout as sleep } from 'node:timers/promises';

const everyMs = 10;
const usualWithinMs = 45_000;

/**
 * For what announces nothing: sessions of PostgreSQL that wait for a lock, the streams of nats-server, processes and sockets
 * of the operating system. What our own code does is announced: see `points.ts`.
 * @param probe answers what was waited for, or undefined or false while it is not there
 * @throws when it is not there within 45 s, or so many milliseconds
 */
export async function pollSystem<T>(
  what: string,
  probe: () => Promise<T> | T,
  withinMs: number = usualWithinMs,
): Promise<Exclude<T, false | undefined>> {
  const giveUpAt = performance.now() + withinMs;
  for (;;) {
    const answer = await probe();
    if (answer !== false && answer !== undefined) return answer as Exclude<T, false | undefined>;
    if (performance.now() >= giveUpAt) throw new Error(`not within ${withinMs / 1_000} s: ${what}`);
    await sleep(everyMs);
  }
}

interface Queryable {
  query(text: string): Promise<{ rows: unknown[] }>;
}

/**
 * Resolves when so many sessions of the database wait for a lock.
 * @param statement the beginning of what they wait with; any statement unless given
 */
export async function untilBlocked(database: Queryable, sessions = 1, statement = ''): Promise<void> {
  const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
    and starts_with(ltrim(query, e' \\n'), '${statement.replaceAll("'", "''")}')`;
  await pollSystem(`${sessions} sessions that wait for a lock`, async () => {
    const { rows } = await database.query(waiting);
    return rows.length >= sessions;
  });
}
