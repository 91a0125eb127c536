import { emailKey } from '@app/contracts/email-key';
import { DomainError } from '@app/contracts/errors';
import { executeBound } from '@app/service-kit/bound-sql';
import { statement } from '@app/service-kit/database';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { CallAudit } from './audit/call-audit.ts';
import { findLetter, linkOver } from './letters/find-letter.ts';
import { hashLetterToken } from './letters/new-letter.ts';
import type { RedeemAsUserDeps, RedeemedAt } from './redeem-letter.ts';
import { type Proof, requireUser } from './require-user.ts';
import { lockAccount, recordChange } from './settings-changed.ts';
import { isSameMailbox } from './support-email.rules.ts';
import { becomeVerified, letterOfVerified } from './support-email.ts';

interface Change {
  readonly user_id: string;
  readonly account_id: string;
  readonly recipient: string;
  readonly session_id: string | null;
}

const findStatement = statement<Change>(
  'email-change-find',
  `select u.id as user_id, u.account_id, l.recipient, l.session_id
   from letters as l join users as u on u.id = l.user_id
   where l.token_hash = $1 and l.kind = 'email_change' and l.expires_at > $2`,
  { user_id: 'text', account_id: 'text', recipient: 'text', session_id: 'text' },
);
const lockStatement = statement<{ id: string }>('email-confirm-lock', 'select id from users where id = $1 for update', {
  id: 'text',
});
/** No link that went to the earlier address works any more. Nothing, when another user has taken the address meanwhile. */
const changeStatement = statement<{ id: string }>(
  'email-confirm',
  `with changed as (
     update users set email = $2, email_key = $4 where id = $1 and not exists (
       select from users where id <> $1 and (email = $2 or email_key = $4)) returning id),
   ended as (delete from sessions as s using changed as c where s.user_id = c.id and s.id is distinct from $3),
   over as (delete from letters as l using changed as c where l.user_id = c.id and l.kind in ('verification', 'password_reset', 'email_change'))
   select id from changed`,
  { id: 'text' },
);

/**
 * Gives the user the address that the token's letter went to, which is verified by that, if its user redeems it: whoever
 * else reads that mailbox would make it the address of a stranger's account. The token is used up, all sessions but the
 * one that requested the change end, and the event of the settings is written, in one transaction.
 * @throws DomainError not_found, password_required, invalid_credentials; RetryLaterError rate_limited; email_taken, which only the owner of the address gets to know
 */
export async function confirmEmail(
  deps: RedeemAsUserDeps,
  token: string,
  proof: Proof,
  { requestId, baseUrl }: RedeemedAt,
  audit: CallAudit,
): Promise<void> {
  const { database, clock, wakeRelay } = deps;
  const { entryOf: entryStatement } = audit;
  const letter = await findLetter(deps, token, ['email_change']);
  audit.concerns({ accountId: letter.account_id, userId: letter.user_id });
  await requireUser(deps, letter, proof);
  const toSupport = await letterOfVerified(deps, letter.account_id, baseUrl);
  const values = [hashLetterToken(token), clock.now()];
  await database.fork().transactional(async (tx) => {
    const [found] = await executeBound(tx, findStatement(values));
    if (found === undefined) throw linkOver();
    // A change requested at this moment has dropped the letter once it lets the user go.
    await executeBound(tx, lockStatement([found.user_id]));
    const [change] = await executeBound(tx, findStatement(values));
    if (change === undefined) throw linkOver();
    await giveAddress(tx, change);
    const account = await lockAccount(tx, change.account_id);
    // The address before was verified with the account, and may go on as the one for support; one that never was is perhaps a stranger's.
    if (isSameMailbox(account.supportEmail, account.email)) account.supportEmailVerified = account.emailVerified;
    account.email = change.recipient;
    await becomeVerified(tx, account, toSupport);
    await recordChange(tx, account, { changedAt: clock.now(), requestId });
    await executeBound(tx, entryStatement({ accountId: change.account_id, userId: change.user_id }));
  });
  wakeRelay();
  if (toSupport !== null) deps.letters.wake();
}

async function giveAddress(tx: EntityManager, { user_id, recipient, session_id }: Change): Promise<void> {
  const [changed] = await executeBound(
    tx,
    changeStatement([user_id, recipient, session_id, emailKey(recipient)]),
  ).catch((err: unknown) => {
    if (/users_email_(key_)?unique/.test(String(err))) return [];
    throw err;
  });
  if (changed === undefined) throw new DomainError('email_taken', 'Another account has this address meanwhile.');
}
