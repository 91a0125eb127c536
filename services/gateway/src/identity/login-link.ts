import { minuteMs } from '@app/contracts/durations';
import { DomainError } from '@app/contracts/errors';
import type { Clock } from '@app/service-kit/clock';
import { type Client, type Database, statement } from '@app/service-kit/database';
import type { CallAudit } from './audit/call-audit.ts';
import { isFactorDue, readFactors } from './factors/user-factors.ts';
import type { LogIn } from './log-in.ts';
import type { SessionOrigin } from './login-origin.ts';
import { openSession } from './open-session.ts';
import { beginPendingLogin } from './pending-login.ts';
import { hashSessionToken, newSessionToken } from './session-token.ts';

interface Deps {
  readonly database: Database;
  readonly clock: Clock;
}

/** It stands on a screen: long enough to be clicked, too short to be found later. */
const validMs = 10 * minuteMs;

const insertStatement = statement(
  'login-link-insert',
  'insert into login_links (token_hash, user_id, expires_at) values ($1, $2, $3)',
);
const redeemStatement = statement<{ user_id: string; account_id: string; password_hash: string }>(
  'login-link-redeem',
  `with link as (delete from login_links where token_hash = $1 and expires_at > $2 returning user_id)
   select u.id as user_id, u.account_id, u.password_hash from link join users as u on u.id = link.user_id`,
  { user_id: 'text', account_id: 'text', password_hash: 'text' },
);

/**
 * The path of a page that logs the user in, once, within ten minutes. Only the process that holds the database makes one: there is
 * no operation for it.
 */
export async function createLoginLink({ database, clock }: Deps, userId: string): Promise<string> {
  return await insertLoginLink(database.pool, userId, clock.now());
}

/** The same in the transaction of what it is made for. @param client of that, or the pool */
export async function insertLoginLink(client: Client | Database['pool'], userId: string, now: Date): Promise<string> {
  const token = newSessionToken();
  await client.query(insertStatement([hashSessionToken(token), userId, new Date(now.getTime() + validMs)]));
  return `/login/once/${token}`;
}

/**
 * Opens a session for the user of a link, which is used up, unless a factor is due. No letter is sent of it: readers of the deployment's output made the link. When the process dies between the two, a new link is needed.
 * @throws DomainError not_found; invalid_credentials where the password was changed since the link was redeemed
 */
export async function logInByLink(deps: Deps, token: string, origin: SessionOrigin, audit: CallAudit): Promise<LogIn> {
  const { rows } = await deps.database.pool.query(redeemStatement([hashSessionToken(token), deps.clock.now()]));
  const [user] = rows;
  if (user === undefined)
    throw new DomainError('not_found', 'The link was used already, or is older than ten minutes, or is not complete.');
  const { account_id: accountId, user_id: userId, password_hash: passwordHash } = user;
  audit.concerns({ accountId, userId });
  const factors = await readFactors(deps.database.pool, userId);
  if (isFactorDue(factors))
    return { kind: 'factor-due', factors, pendingToken: await beginPendingLogin(deps, userId, passwordHash) };
  return {
    kind: 'opened',
    accountId,
    token: await openSession(deps, { accountId, userId, audit, passwordHash }, origin),
  };
}
