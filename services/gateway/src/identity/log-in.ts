import { DomainError } from '@app/contracts/errors';
import type { Clock } from '@app/service-kit/clock';
import type { Database } from '@app/service-kit/database';
import type { CallAudit } from './audit/call-audit.ts';
import { findUserByEmail } from './find-user.ts';
import type { Letters } from './letters/letters.ts';
import type { SessionOrigin } from './login-origin.ts';
import { noticeOfLogin } from './notice-of-login.ts';
import { openSession } from './open-session.ts';
import { hashOfNoPassword, isPassword, type PasswordCost } from './password.ts';

interface Deps {
  readonly database: Database;
  readonly clock: Clock;
  readonly passwordCost: PasswordCost;
  readonly letters: Pick<Letters, 'notice' | 'wake'>;
}

/**
 * Opens a session; a letter notifies the user of one from where they have not logged in before. An unknown email costs the same
 * work and gets the same error as a wrong password.
 * @param baseUrl what the letter's link stands under
 */
export async function logIn(
  deps: Deps,
  { email, password }: { readonly email: string; readonly password: string },
  origin: SessionOrigin,
  baseUrl: string,
  audit: CallAudit,
): Promise<{ accountId: string; token: string }> {
  const user = await findUserByEmail(deps.database.fork(), email);
  const of = user === null ? null : { accountId: user.accountId, userId: user.id };
  if (of !== null) audit.concerns(of);
  const matches = await isPassword(password, user?.passwordHash ?? hashOfNoPassword(deps.passwordCost), origin.address);
  if (user === null || of === null || !matches)
    throw new DomainError('invalid_credentials', 'Email or password is wrong.');
  const notice = await noticeOfLogin(deps, user.id, origin, baseUrl);
  const token = await openSession(deps, { ...of, notice, audit }, origin);
  if (notice !== null) deps.letters.wake();
  return { accountId: user.accountId, token };
}
