import { newIdSuffix } from '@app/contracts/ids';
import type { Requester } from '@app/messaging/requester';
import { executeBound } from '@app/service-kit/bound-sql';
import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import type { CallAudit } from './audit/call-audit.ts';
import type { RequestedAt } from './change-password.ts';
import type { PasswordDeps } from './check-password.ts';
import { findLetter, linkOver } from './letters/find-letter.ts';
import type { Letters } from './letters/letters.ts';
import { hashLetterToken, insertNoticeStatement, noticeValues } from './letters/new-letter.ts';
import { checkNewPassword } from './new-password.ts';
import { hashPassword, type PasswordCost } from './password.ts';
import { type Proof, requireUser } from './require-user.ts';
import { lockAccount, recordChange } from './settings-changed.ts';
import { becomeVerified, letterOfVerified } from './support-email.ts';
import { revokeAllKeys, revokeElsewhere, revokeElsewhereAgain, takeBack } from './take-back.ts';

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

/** What redeeming a letter takes that its user alone may redeem. */
export interface RedeemAsUserDeps extends RedeemDeps, PasswordDeps {
  readonly wakeRelay: () => void;
  readonly letters: Letters;
}

export interface RedeemedAt {
  readonly requestId: string;
  /** What the link of a letter stands under that waited for this. */
  readonly baseUrl: string;
}

/**
 * Verifies the account's address, for its user alone: the letter reaches whoever reads the mailbox, also where somebody else signed up
 * with the address. The token is used up, and the event of the settings written, in one transaction. A refusal leaves the link valid.
 * @throws DomainError not_found, password_required, invalid_credentials; RetryLaterError rate_limited
 */
export async function verifyEmail(
  deps: RedeemAsUserDeps,
  token: string,
  proof: Proof,
  { requestId, baseUrl }: RedeemedAt,
  { concerns, entryOf: entryStatement }: CallAudit,
): Promise<void> {
  const { database, clock, wakeRelay } = deps;
  const letter = await findLetter(deps, token, ['verification']);
  concerns({ accountId: letter.account_id, userId: letter.user_id });
  await requireUser(deps, letter, proof);
  const toSupport = await letterOfVerified(deps, letter.account_id, baseUrl);
  await database.fork().transactional(async (tx) => {
    const values = [hashLetterToken(token), 'verification', clock.now()];
    const [found] = await executeBound(tx, redeemStatement(values));
    if (found === undefined) throw linkOver();
    const account = await lockAccount(tx, found.account_id);
    await executeBound(tx, entryStatement({ accountId: found.account_id, userId: found.user_id }));
    if (account.emailVerified) return;
    await becomeVerified(tx, account, toSupport);
    await recordChange(tx, account, { changedAt: clock.now(), requestId });
  });
  wakeRelay();
  if (toSupport !== null) deps.letters.wake();
}

/** First, as a change of the address does: one that is requested at this moment is dropped with the earlier ones. */
const lockStatement = statement<{ id: string }>('redeem-letter-lock', 'select id from users where id = $1 for update', {
  id: 'text',
});
const changeStatement = statement(
  'redeem-letter-change',
  `
  with ended as (delete from sessions where user_id = $1),
    pending as (delete from pending_logins where user_id = $1),
    others as (delete from letters where user_id = $1 and kind in ('verification', 'password_reset', 'email_change', 'support_email'))
  update users set password_hash = $2 where id = $1`,
);

interface ResetDeps extends RedeemDeps {
  readonly passwordCost: PasswordCost;
  readonly letters: Pick<Letters, 'notice' | 'wake'>;
  readonly requester: Requester;
  readonly logger: Logger;
  readonly wakeRelay: () => void;
}

interface Reset {
  readonly token: string;
  readonly password: string;
  readonly revokeKeys?: boolean | undefined;
}

/**
 * Gives the user a new password, ends all sessions and drops changes of addresses that wait. The letter that verifies an address gives
 * one too, until it is verified: its reader may not have made the account. A token that is unknown costs no hash. A letter notifies the
 * user of it, whether or not the address is verified: the link went there.
 *
 * Whoever signed up with the address of somebody else is not that person: where it was never verified, the reset verifies it and ends
 * all that was set up before. What other services have goes first: while one of them is out, nothing is changed, and the link stays
 * valid. A process that dies in between leaves the account as it was without them, and the link. From the commit on the event repeats it.
 * @throws DomainError not_found, validation_failed, service_unavailable; RetryLaterError
 */
export async function resetByLetter(
  deps: ResetDeps,
  { token, password, revokeKeys = false }: Reset,
  { address, baseUrl }: RequestedAt,
  {
    requestId,
    commandId,
    audit,
  }: { readonly requestId: string; readonly commandId: string; readonly audit: CallAudit },
): Promise<void> {
  const { database, clock, passwordCost, letters } = deps;
  const { entryOf: entryStatement } = audit;
  const hash = hashLetterToken(token);
  const user = await findLetter(deps, token, ['password_reset', 'verification']);
  if (user.kind === 'verification' && user.email_verified) throw linkOver();
  await checkNewPassword(password, user.email);
  const passwordHash = await hashPassword(password, address, passwordCost);
  const notice = await letters.notice('password_notice', { email: user.email, baseUrl });
  const accountId = user.account_id;
  const elsewhere = { accountId, requestId, commandId };
  if (!user.email_verified) await revokeElsewhere(deps, elsewhere);
  await database.fork().transactional(async (tx) => {
    await executeBound(tx, lockStatement([user.user_id]));
    const now = clock.now();
    const [found] = await executeBound(tx, redeemStatement([hash, user.kind, now]));
    if (found === undefined) throw linkOver();
    await executeBound(tx, changeStatement([found.user_id, passwordHash]));
    if (revokeKeys) await revokeAllKeys(tx, accountId, now);
    await takeBack(tx, { accountId, userId: user.user_id, now, requestId });
    if (notice !== null) await executeBound(tx, insertNoticeStatement(noticeValues(notice, user.user_id)));
    await executeBound(tx, entryStatement({ accountId: found.account_id, userId: found.user_id }));
  });
  deps.wakeRelay();
  letters.wake();
  if (!user.email_verified) await revokeElsewhereAgain(deps, { ...elsewhere, commandId: newIdSuffix(clock.nowMs()) });
}
