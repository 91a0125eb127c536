import { dayMs } from '@app/contracts/durations';
import { newId } from '@app/contracts/ids';
import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import { insertNoticeStatement } from './letters/new-letter.ts';
import { digestOfOrigin, type SessionOrigin } from './login-origin.ts';
import { hashSessionToken, newSessionToken, sessionDays } from './session-token.ts';

interface Deps {
  readonly database: Database;
  readonly clock: Clock;
}

/** Browsers send less; a longer one is cut. */
const userAgentMax = 300;

const insertStatement = statement(
  'session-open',
  `with known as (
     insert into known_origins (user_id, origin, last_at) values ($3, $8, $4)
     on conflict (user_id, origin) do update set last_at = excluded.last_at)
   insert into sessions (id, hash, user_id, created_at, expires_at, address, user_agent) values ($1, $2, $3, $4, $5, $6, $7)`,
);

/**
 * Opens a session; from then on the user is known to log in from there. Returns the token, which is stored as a hash only.
 * @param notice values of the letter about it, which is written in the same transaction; the caller wakes the letters' loop
 */
export async function openSession(
  { database, clock }: Deps,
  userId: string,
  origin: SessionOrigin,
  notice: readonly unknown[] | null = null,
): Promise<string> {
  const token = newSessionToken();
  const createdAt = clock.now();
  const expiresAt = new Date(createdAt.getTime() + sessionDays * dayMs);
  const session = insertStatement([
    ...[newId('session', createdAt.getTime()), hashSessionToken(token), userId, createdAt, expiresAt],
    ...[origin.address, origin.userAgent?.slice(0, userAgentMax) ?? null, digestOfOrigin(origin)],
  ]);
  await database.transaction(async (client) => {
    await client.query(session);
    if (notice !== null) await client.query(insertNoticeStatement([...notice]));
  });
  return token;
}
