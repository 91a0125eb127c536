import { emailKey } from '@app/contracts/email-key';
import { DomainError } from '@app/contracts/errors';
import { invalidField } from '@app/contracts/validation';
import type { Clock } from '@app/service-kit/clock';
import { statement } from '@app/service-kit/database';
import type { InferEntity } from '@mikro-orm/core';
import { RetryLaterError } from '../problems/retry-later-error.ts';
import type { Actor } from './actors.ts';
import type { RequestedAt } from './change-password.ts';
import { checkPassword, type PasswordDeps } from './check-password.ts';
import { requireConfirmation } from './confirmation.ts';
import type { Letters } from './letters/letters.ts';
import {
  insertNoticeStatement,
  lockedWindows,
  type NewLetter,
  noticeValues,
  windowsGivenBack,
} from './letters/new-letter.ts';
import { User } from './user.entity.ts';

export interface EmailChange {
  /** In place of a confirmation of the session. */
  readonly password?: string | undefined;
  readonly email: string;
}

/** Nothing, when the hash is another than the one that was checked. */
const lockUser = statement<{ id: string }>(
  'email-change-lock',
  'select id from users where id = $1 and password_hash = $2 for update',
  { id: 'text' },
);
/** The change requested last is the one that can be confirmed. */
const dropEarlier = statement('email-change-drop', `delete from letters where user_id = $1 and kind = 'email_change'`);
/** As `insertLetterStatement` does for an unknown address: one that another user has gets a row without a link. */
const insertChange = statement(
  'email-change-insert',
  `with taken as (select exists (
     select from users where id <> $2 and (email = $3 or email_key = $10)) as by_another),
   counted as (
     update rate_windows as w set taken = w.taken - case when t.by_another then 1 else 0 end
     from taken as t, (${lockedWindows('$9::text[]')}) as l where w.caller = l.caller)
   insert into letters (id, kind, user_id, recipient, token_hash, sealed, created_at, next_attempt_at, expires_at, session_id)
   select $1, 'email_change', $2, $3, $4, case when t.by_another then null else $5::bytea end, $6, $6, $7, $8 from taken as t`,
);

const valuesOf = (letter: NewLetter, userId: string): unknown[] => [
  // Users’ addresses are stored in lower case.
  ...[
    letter.id,
    userId,
    letter.email.toLowerCase(),
    letter.tokenHash,
    letter.sealed,
    letter.createdAt,
    letter.expiresAt,
  ],
];

/**
 * Writes the letters of a change of a logged-in user's address: a link to the new one, and a notice to the one that holds until the
 * link is redeemed (`confirmEmail`). Whether a user has the new address already is in no answer.
 * @throws DomainError password_required; invalid_credentials, also when the password was changed meanwhile; validation_failed; RetryLaterError
 */
export async function changeEmail(
  deps: PasswordDeps & { readonly clock: Clock; readonly letters: Letters },
  actor: Actor,
  { password, email }: EmailChange,
  { address, baseUrl }: RequestedAt,
): Promise<void> {
  const { database, letters } = deps;
  const user = await personOf(deps, actor, password, address);
  if (email.toLowerCase() === user.email)
    throw invalidField('email', 'is the address of the account already', 'unchanged');
  const isUnverified = !actor.settings.emailVerified;
  const notice = await letters.admitOrRefuse('email_change_notice', {
    ...{ email: user.email, address, baseUrl },
    isUnverified,
  });
  if (notice === null)
    throw new RetryLaterError(
      'rate_limited',
      'The address of the account can be changed at most five times a day.',
      3_600,
    );
  const letter = await letters.admitOrRefuse('email_change', { email, address, baseUrl, isUnverified });
  await database.transaction(async (client) => {
    const { rowCount } = await client.query(lockUser([user.id, user.passwordHash]));
    if (rowCount === 0) throw new DomainError('invalid_credentials', 'The password was changed meanwhile.');
    await client.query(dropEarlier([user.id]));
    await client.query(insertNoticeStatement(noticeValues(notice, user.id)));
    if (letter === null) return;
    const given = windowsGivenBack(letter.kind, letter.email);
    await client.query(insertChange([...valuesOf(letter, user.id), actor.sessionId, given, emailKey(email)]));
  });
  letters.wake();
}

/** Read before its confirmation is: a new password between the two ends that. */
async function personOf(
  deps: PasswordDeps & { readonly clock: Clock },
  actor: Actor,
  password: string | undefined,
  address: string,
): Promise<InferEntity<typeof User>> {
  if (password !== undefined) return await checkPassword(deps, actor, password, address);
  const user = await deps.database.fork().findOneOrFail(User, { id: actor.userId ?? '', accountId: actor.accountId });
  await requireConfirmation(deps, actor);
  return user;
}
