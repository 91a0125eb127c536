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

const insertStatement = statement(
  'pending-login-insert',
  'insert into pending_logins (hash, user_id, expires_at) values ($1, $2, $3)',
);
const findStatement = statement<PendingUser>(
  'pending-login-find',
  `select u.id as user_id, u.account_id, u.password_hash from pending_logins as p join users as u on u.id = p.user_id
   where p.hash = $1 and p.expires_at > $2`,
  { user_id: 'text', account_id: 'text', password_hash: 'text' },
);
const endStatement = statement('pending-login-end', 'delete from pending_logins where hash = $1');

/** A log-in whose password or link was right. Returns its token, which is stored as a hash only. */
export async function beginPendingLogin({ database, clock }: Deps, userId: string): Promise<string> {
  const token = newSessionToken();
  const expiresAt = new Date(clock.nowMs() + (pendingSeconds / 60) * minuteMs);
  await database.pool.query(insertStatement([hashSessionToken(token), userId, expiresAt]));
  return token;
}

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
