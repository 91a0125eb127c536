import { DomainError } from '@app/contracts/errors';
import type { Clock } from '@app/service-kit/clock';
import type { PasswordDeps } from './check-password.ts';
import { findSession } from './find-actor.ts';
import type { FoundLetter } from './letters/find-letter.ts';
import { isPassword } from './password.ts';
import { hashSessionToken } from './session-token.ts';

/** What whoever holds the link of a letter has beside it. */
export interface Proof {
  /** The token of the browser's session. */
  readonly session: string | undefined;
  readonly password?: string | undefined;
  /** As `clientOfAddress` gives it. */
  readonly address: string;
}

/** Whether the browser is logged in as the user whom the letter is about. */
export async function isLoggedIn(
  { database, clock }: Pick<PasswordDeps, 'database'> & { readonly clock: Clock },
  { user_id }: Pick<FoundLetter, 'user_id'>,
  session: string | undefined,
): Promise<boolean> {
  if (session === undefined) return false;
  const found = await findSession(database, hashSessionToken(session));
  return found !== null && found.actor.userId === user_id && clock.nowMs() < found.expiresAtMs;
}

/**
 * Requires that who redeems a letter is its user, and no mere reader of the mailbox: by a session in this browser, or by the password, whose
 * attempts count with those of logging in.
 * @throws DomainError password_required, invalid_credentials; RetryLaterError rate_limited
 */
export async function requireUser(
  deps: PasswordDeps & { readonly clock: Clock },
  letter: FoundLetter,
  { session, password, address }: Proof,
): Promise<void> {
  if (await isLoggedIn(deps, letter, session)) return;
  if (password === undefined)
    throw new DomainError(
      'password_required',
      'The link alone does nothing: give the password of the account too, or open it where you are logged in. Nothing was changed.',
    );
  const attempt = await deps.limitLogin(letter.email, address);
  if (!(await isPassword(password, letter.password_hash, letter.user_id)))
    throw new DomainError('invalid_credentials', 'This is not the password of the account.');
  await attempt.succeeded();
}
