import { DomainError } from '@app/contracts/errors';
import type { Clock } from '@app/service-kit/clock';
import type { Database } from '@app/service-kit/database';
import type { CallAudit } from './audit/call-audit.ts';
import { isFactorDue, readFactors, type UserFactors } from './factors/user-factors.ts';
import { findUserByEmail } from './find-user.ts';
import type { Letters } from './letters/letters.ts';
import type { SessionOrigin } from './login-origin.ts';
import { noticeOfLogin } from './notice-of-login.ts';
import { openSession } from './open-session.ts';
import { hashOfNoPassword, isPassword, type PasswordCost } from './password.ts';
import { beginPendingLogin } from './pending-login.ts';

interface Deps {
  readonly database: Database;
  readonly clock: Clock;
  readonly passwordCost: PasswordCost;
  readonly letters: Pick<Letters, 'notice' | 'wake'>;
}

/** A session, or the token of a log-in that waits for its factor. */
export type LogIn =
  | { readonly kind: 'opened'; readonly accountId: string; readonly token: string }
  | { readonly kind: 'factor-due'; readonly factors: UserFactors; readonly pendingToken: string };

/**
 * Opens a session, unless a factor is due; a letter notifies the user of one from where they have not logged in before. An unknown email costs the same
 * work and gets the same error as a wrong password.
 * @param baseUrl what the letter's link stands under
 */
export async function logIn(
  deps: Deps,
  { email, password }: { readonly email: string; readonly password: string },
  origin: SessionOrigin,
  baseUrl: string,
  audit: CallAudit,
): Promise<LogIn> {
  const user = await findUserByEmail(deps.database.fork(), email);
  const of = user === null ? null : { accountId: user.accountId, userId: user.id };
  if (of !== null) audit.concerns(of);
  const matches = await isPassword(password, user?.passwordHash ?? hashOfNoPassword(deps.passwordCost), origin.address);
  if (user === null || of === null || !matches)
    throw new DomainError('invalid_credentials', 'Email or password is wrong.');
  const factors = await readFactors(deps.database.pool, user.id);
  if (isFactorDue(factors)) {
    const pendingToken = await beginPendingLogin(deps, user.id, user.passwordHash);
    return { kind: 'factor-due', factors, pendingToken };
  }
  const notice = await noticeOfLogin(deps, user.id, origin, baseUrl);
  const token = await openSession(deps, { ...of, notice, audit, passwordHash: user.passwordHash }, origin);
  if (notice !== null) deps.letters.wake();
  return { kind: 'opened', accountId: user.accountId, token };
}
