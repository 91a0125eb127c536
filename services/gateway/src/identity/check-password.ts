import { DomainError } from '@app/contracts/errors';
import type { Database } from '@app/service-kit/database';
import type { InferEntity } from '@mikro-orm/core';
import type { LoginLimit } from '../limits/login-limit.ts';
import type { Actor } from './actors.ts';
import { isPassword } from './password.ts';
import { User } from './user.entity.ts';

/** What checking a password takes. */
export interface PasswordDeps {
  readonly database: Database;
  readonly limitLogin: LoginLimit;
}

/**
 * Requires the password of a logged-in user once more; resolves with the user. The attempts count together with those of
 * logging in, so that a stolen session is of no use for guessing it.
 * @throws DomainError invalid_credentials; RetryLaterError rate_limited
 */
export async function checkPassword(
  deps: PasswordDeps,
  actor: Actor,
  password: string,
  address: string,
): Promise<InferEntity<typeof User>> {
  const user = await deps.database.fork().findOneOrFail(User, { id: actor.userId ?? '', accountId: actor.accountId });
  const attempt = await deps.limitLogin(user.email, address);
  if (!(await isPassword(password, user.passwordHash, user.id)))
    throw new DomainError('invalid_credentials', 'The password is wrong.');
  await attempt.succeeded();
  return user;
}
