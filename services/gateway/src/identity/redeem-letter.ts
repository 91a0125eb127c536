import { DomainError } from '@app/contracts/errors';
import { executeBound } from '@app/service-kit/bound-sql';
import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import type { RequestedAt } from './change-password.ts';
import type { Letters } from './letters/letters.ts';
import { hashLetterToken, insertNoticeStatement, noticeValues } from './letters/new-letter.ts';
import { checkNewPassword } from './new-password.ts';
import { hashPassword, type PasswordCost } from './password.ts';
import { lockAccount, recordChange } from './settings-changed.ts';

export interface RedeemDeps {
  readonly database: Database;
  readonly clock: Clock;
}

const redeemStatement = statement<Redeemed>(
  'redeem-letter-redeem',
  `
  with letter as (
    delete from letters where token_hash = $1 and kind = $2 and expires_at > $3 returning user_id
  )
  select u.id as user_id, u.account_id from letter join users as u on u.id = letter.user_id`,
  { user_id: 'text', account_id: 'text' },
);

interface Redeemed {
  readonly user_id: string;
  readonly account_id: string;
}

export const linkOver = (): DomainError =>
  new DomainError('not_found', 'The link was used already, or is older than 48 hours, or is not complete.');

/**
 * Verifies the account's address. The token is used up, and the event of the settings written, in one transaction.
 * @throws DomainError not_found
 */
export async function verifyEmail(
  { database, clock, wakeRelay }: RedeemDeps & { readonly wakeRelay: () => void },
  token: string,
  requestId: string,
): Promise<void> {
  await database.fork().transactional(async (tx) => {
    const values = [hashLetterToken(token), 'verification', clock.now()];
    const [found] = await executeBound(tx, redeemStatement(values));
    if (found === undefined) throw linkOver();
    const account = await lockAccount(tx, found.account_id);
    if (account.emailVerified) return;
    account.emailVerified = true;
    await recordChange(tx, account, { changedAt: clock.now(), requestId });
  });
  wakeRelay();
}

const userOfToken = statement<{ id: string; email: string }>(
  'letter-email',
  `select u.id, u.email from letters as l join users as u on u.id = l.user_id
   where l.token_hash = $1 and l.kind = 'password_reset' and l.expires_at > $2`,
  { id: 'text', email: 'text' },
);
/** First, as a change of the address does: one that is requested at this moment is dropped with the earlier ones. */
const lockStatement = statement<{ id: string }>('redeem-letter-lock', 'select id from users where id = $1 for update', {
  id: 'text',
});
const changeStatement = statement(
  'redeem-letter-change',
  `
  with ended as (delete from sessions where user_id = $1),
    others as (delete from letters where user_id = $1 and kind in ('password_reset', 'email_change'))
  update users set password_hash = $2 where id = $1`,
);

/**
 * Gives the user a new password, ends all sessions and drops a change of address that waits. A token that is unknown costs no hash.
 * A letter notifies them of it, whether or not the address is verified: the link went there.
 * @throws DomainError not_found, validation_failed; RetryLaterError
 */
export async function resetByLetter(
  {
    database,
    clock,
    passwordCost,
    letters,
  }: RedeemDeps & { readonly passwordCost: PasswordCost; readonly letters: Pick<Letters, 'notice' | 'wake'> },
  { token, password }: { readonly token: string; readonly password: string },
  { address, baseUrl }: RequestedAt,
): Promise<void> {
  const hash = hashLetterToken(token);
  const { rows } = await database.pool.query(userOfToken([hash, clock.now()]));
  const [user] = rows;
  if (user === undefined) throw linkOver();
  await checkNewPassword(password, user.email);
  const passwordHash = await hashPassword(password, address, passwordCost);
  const notice = await letters.notice('password_notice', { email: user.email, baseUrl });
  await database.fork().transactional(async (tx) => {
    await executeBound(tx, lockStatement([user.id]));
    const [found] = await executeBound(tx, redeemStatement([hash, 'password_reset', clock.now()]));
    if (found === undefined) throw linkOver();
    await executeBound(tx, changeStatement([found.user_id, passwordHash]));
    if (notice !== null) await executeBound(tx, insertNoticeStatement(noticeValues(notice, user.id)));
  });
  letters.wake();
}
