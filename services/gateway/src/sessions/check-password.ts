import { DomainError } from '@app/contracts/errors';
import type { InferEntity } from '@mikro-orm/core';
import { isPassword } from '../accounts/password.ts';
import { User } from '../accounts/user.entity.ts';
import type { App } from '../app.ts';
import type { Actor } from '../auth/actors.ts';

/**
 * Requires the password of a logged-in user once more; resolves with the user. The attempts count together with those of
 * logging in, so that a stolen session is of no use for guessing it.
 * @throws DomainError invalid_credentials; RetryLaterError rate_limited
 */
export async function checkPassword(
  app: Pick<App, 'database' | 'limitLogin'>,
  actor: Actor,
  password: string,
  address: string,
): Promise<InferEntity<typeof User>> {
  const user = await app.database.fork().findOneOrFail(User, { id: actor.userId ?? '', accountId: actor.accountId });
  const attempt = await app.limitLogin(user.email, address);
  if (!(await isPassword(password, user.passwordHash, user.id)))
    throw new DomainError('invalid_credentials', 'The password is wrong.');
  await attempt.succeeded();
  return user;
}
