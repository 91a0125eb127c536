import { minuteMs } from '@app/contracts/durations';
import { DomainError } from '@app/contracts/errors';
import type { Clock } from '@app/service-kit/clock';
import { type Client, type Database, statement } from '@app/service-kit/database';
import { hashSessionToken, newSessionToken } from './session-token.ts';

interface Deps {
  readonly database: Database;
  readonly clock: Clock;
}

/** Long enough to find the phone. */
export const pendingSeconds = 600;

export interface PendingUser {
  readonly user_id: string;
  readonly account_id: string;
  readonly password_hash: string;
}

/** Waits for a new password that is being stored, and inserts nothing once the hash is another than the one that was checked. */
const insertStatement = statement(
  'pending-login-insert',
  `insert into pending_logins (hash, user_id, expires_at)
   select $1, id, $4 from users where id = $2 and password_hash = $3 for share`,
);
const findStatement = statement<PendingUser>(
  'pending-login-find',
  `select u.id as user_id, u.account_id, u.password_hash from pending_logins as p join users as u on u.id = p.user_id
   where p.hash = $1 and p.expires_at > $2`,
  { user_id: 'text', account_id: 'text', password_hash: 'text' },
);
const endStatement = statement('pending-login-end', 'delete from pending_logins where hash = $1');

/**
 * A log-in whose password or link was right. Returns its token, which is stored as a hash only.
 * @param passwordHash that the user had when it was right
 * @throws DomainError invalid_credentials where the password was changed since: that ends log-ins that wait
 */
export async function beginPendingLogin(
  { database, clock }: Deps,
  userId: string,
  passwordHash: string,
): Promise<string> {
  const token = newSessionToken();
  const expiresAt = new Date(clock.nowMs() + (pendingSeconds / 60) * minuteMs);
  const values = [hashSessionToken(token), userId, passwordHash, expiresAt];
  if ((await database.pool.query(insertStatement(values))).rowCount === 0) throw passwordChanged();
  return token;
}

export const passwordChanged = (): DomainError =>
  new DomainError('invalid_credentials', 'The password was changed meanwhile.');

/** @throws DomainError login_expired */
export async function findPendingLogin({ database, clock }: Deps, token: string | undefined): Promise<PendingUser> {
  const rows =
    token === undefined ? [] : (await database.pool.query(findStatement([hashSessionToken(token), clock.now()]))).rows;
  const [user] = rows;
  if (user === undefined) throw loginExpired();
  return user;
}

/** In the transaction that opens the session: of two at once one does. */
export async function endPendingLogin(client: Client, token: string): Promise<boolean> {
  return (await client.query(endStatement([hashSessionToken(token)]))).rowCount === 1;
}

export const loginExpired = (): DomainError =>
  new DomainError(
    'login_expired',
    'This log-in was begun more than ten minutes ago, or is over: begin with the password.',
  );
