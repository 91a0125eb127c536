import { DomainError } from '@app/contracts/errors';
import { isPassword } from '../accounts/password.ts';
import { User } from '../accounts/user.entity.ts';
import type { App } from '../app.ts';
import type { Actor } from '../auth/actors.ts';

/**
 * Asks a logged-in user for the password once more. The tries count together with those of logging in, so that a stolen
 * session is of no use for guessing it.
 * @throws DomainError invalid_credentials; RetryLaterError rate_limited
 */
export async function checkPassword(
  app: Pick<App, 'database' | 'limitLogin'>,
  actor: Actor,
  password: string,
  address: string,
): Promise<void> {
  const user = await app.database.fork().findOneOrFail(User, { id: actor.userId ?? '', accountId: actor.accountId });
  const attempt = await app.limitLogin(user.email, address);
  if (!(await isPassword(password, user.passwordHash)))
    throw new DomainError('invalid_credentials', 'The password is wrong.');
  await attempt.succeeded();
}
