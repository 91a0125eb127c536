import { dayMs } from '@app/contracts/durations';
import type { FactorMethod } from '@app/contracts/factors';
import { newId } from '@app/contracts/ids';
import type { Clock } from '@app/service-kit/clock';
import { type Client, type Database, statement } from '@app/service-kit/database';
import type { CallAudit } from './audit/call-audit.ts';
import { insertNoticeStatement } from './letters/new-letter.ts';
import { digestOfOrigin, type SessionOrigin } from './login-origin.ts';
import { passwordChanged } from './pending-login.ts';
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
   insert into sessions (id, hash, user_id, created_at, expires_at, address, user_agent, factor) values ($1, $2, $3, $4, $5, $6, $7, $9)`,
);

/**
 * A new password ends the sessions that it finds, with the user's row locked: one that is opened at that moment is there before it, or waits and
 * sees it.
 */
const userStatement = statement<{ password_hash: string }>(
  'session-user',
  'select password_hash from users where id = $1 for share',
  { password_hash: 'text' },
);

/** What a session was opened with beside the password or the link. */
export type SessionFactor = FactorMethod;

/** Whose session it is, and what is written in the transaction that opens it. */
export interface NewSession {
  readonly accountId: string;
  readonly userId: string;
  /** Values of the letter about it; the caller wakes the letters' loop. */
  readonly notice?: readonly unknown[] | null;
  readonly audit: Pick<CallAudit, 'entryOf'>;
  /** That was found right; left out where none was asked for. */
  readonly passwordHash?: string;
  /** Uses up what proves the factor; what it throws opens no session. */
  prove?(client: Client): Promise<SessionFactor>;
}

/**
 * Opens a session; from then on the user is known to log in from there. Returns the token, which is stored as a hash only.
 * @throws DomainError invalid_credentials where the password was changed since it was found right
 */
export async function openSession(
  { database, clock }: Deps,
  { accountId, userId, notice = null, audit, passwordHash, prove }: NewSession,
  origin: SessionOrigin,
): Promise<string> {
  const token = newSessionToken();
  const createdAt = clock.now();
  const expiresAt = new Date(createdAt.getTime() + sessionDays * dayMs);
  const sessionId = newId('session', createdAt.getTime());
  const values = [
    ...[sessionId, hashSessionToken(token), userId, createdAt, expiresAt],
    ...[origin.address, origin.userAgent?.slice(0, userAgentMax) ?? null, digestOfOrigin(origin)],
  ];
  await database.transaction(async (client) => {
    const { rows } = await client.query(userStatement([userId]));
    if (passwordHash !== undefined && rows[0]?.password_hash !== passwordHash) throw passwordChanged();
    const factor = (await prove?.(client)) ?? null;
    await client.query(insertStatement([...values, factor]));
    if (notice !== null) await client.query(insertNoticeStatement([...notice]));
    await client.query(audit.entryOf({ accountId, userId, sessionId }));
  });
  return token;
}
