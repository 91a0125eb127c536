import { executeBound } from '@app/service-kit/bound-sql';
import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import type { InferEntity } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Account } from './account.entity.ts';
import type { CallAudit } from './audit/call-audit.ts';
import { settingsOf } from './get-settings.ts';
import { findLetter, linkOver } from './letters/find-letter.ts';
import type { Letters } from './letters/letters.ts';
import { hashLetterToken, insertNoticeStatement, type NewLetter, noticeValues } from './letters/new-letter.ts';
import { lockAccount, recordChange } from './settings-changed.ts';
import { isSameMailbox, supportEmailAfter, unconfirmedOf } from './support-email.rules.ts';

type AccountRow = InferEntity<typeof Account>;

const stateOf = (account: AccountRow) => ({
  ...settingsOf(account),
  supportEmailPending: account.supportEmailPending ?? null,
});

interface LetterDeps {
  readonly database: Database;
  readonly letters: Letters;
}

const ownerStatement = statement<{ id: string }>(
  'support-email-user',
  'select id from users where account_id = $1 order by created_at, id limit 1',
  { id: 'text' },
);
const dropStatement = statement(
  'support-email-drop',
  `delete from letters where user_id in (select id from users where account_id = $1) and kind = 'support_email'`,
);
interface RedeemDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly wakeRelay: () => void;
}

const usedStatement = statement<{ id: string }>(
  'support-email-redeem',
  `delete from letters where token_hash = $1 and kind = 'support_email' and expires_at > $2 returning id`,
  { id: 'text' },
);

/**
 * The letter to an address that is given for support; null where it needs none, or has had those of the day, or the account is not verified:
 * whoever makes accounts with addresses of strangers would write to twenty more by each. It counts for the account: a
 * tool has no address, and one account shall not write to many strangers from many networks.
 * @throws RetryLaterError
 */
export async function letterToSupport(
  { database, letters }: LetterDeps,
  accountId: string,
  given: string,
  baseUrl: string,
): Promise<NewLetter | null> {
  const before = stateOf(await database.fork().findOneOrFail(Account, { id: accountId }));
  const { supportEmailPending: email } = supportEmailAfter(before, given);
  if (!before.emailVerified || email === null || isSameMailbox(email, before.supportEmailPending)) return null;
  return await letters.admitOrRefuse('support_email', wantedBy(accountId, email, baseUrl));
}

const wantedBy = (accountId: string, email: string, baseUrl: string) => ({
  email,
  baseUrl,
  address: `account ${accountId}`,
});

/** The letter that waited for the account to be verified; null where none did. For the transaction that verifies it. */
export async function letterOfVerified(
  { database, letters }: LetterDeps,
  accountId: string,
  baseUrl: string,
): Promise<NewLetter | null> {
  const { emailVerified, supportEmailPending: email } = stateOf(
    await database.fork().findOneOrFail(Account, { id: accountId }),
  );
  return emailVerified || email === null
    ? null
    : await letters.admit('support_email', wantedBy(accountId, email, baseUrl));
}

/** Gives a locked account the address, with its letter in the same transaction: the link of an earlier one has no effect any more. */
export async function giveSupportEmail(
  tx: EntityManager,
  account: AccountRow,
  given: string,
  letter: NewLetter | null,
): Promise<void> {
  const pending = account.supportEmailPending ?? null;
  Object.assign(account, supportEmailAfter(stateOf(account), given));
  if ((account.supportEmailPending ?? null) === pending) return;
  await replaceLetter(tx, account.id, letter);
}

async function replaceLetter(tx: EntityManager, accountId: string, letter: NewLetter | null): Promise<void> {
  await executeBound(tx, dropStatement([accountId]));
  const [user] = await executeBound(tx, ownerStatement([accountId]));
  if (letter === null || user === undefined) return;
  await executeBound(tx, insertNoticeStatement(noticeValues(letter, user.id)));
}

/**
 * Sends the letter to the address that has not confirmed yet once more; nothing where there is none, or the account is not verified.
 * @throws RetryLaterError
 */
export async function requestSupportEmailVerification(
  { database, letters }: LetterDeps,
  accountId: string,
  baseUrl: string,
): Promise<void> {
  const before = stateOf(await database.fork().findOneOrFail(Account, { id: accountId }));
  const email = unconfirmedOf(before);
  if (email === null || !before.emailVerified) return;
  const letter = await letters.admitOrRefuse('support_email', wantedBy(accountId, email, baseUrl));
  if (letter === null) return;
  await database.fork().transactional(async (tx) => {
    // Another may have been given meanwhile, whose letter is on its way.
    if (unconfirmedOf(stateOf(await lockAccount(tx, accountId))) === email) await replaceLetter(tx, accountId, letter);
  });
  letters.wake();
}

/**
 * Lets an account use the address for support that its letter went to, for the reader of that mailbox. The token is used up, and the event of
 * the settings written, in one transaction.
 * @throws DomainError not_found, also where the account has given another address since
 */
export async function confirmSupportEmail(
  deps: RedeemDeps,
  token: string,
  requestId: string,
  { entryOf: entryStatement }: CallAudit,
): Promise<void> {
  const { database, clock, wakeRelay } = deps;
  const letter = await findLetter(deps, token, ['support_email']);
  const { account_id: accountId, user_id: userId, recipient } = letter;
  await database.fork().transactional(async (tx) => {
    const account = await lockAccount(tx, accountId);
    const now = clock.now();
    const [used] = await executeBound(tx, usedStatement([hashLetterToken(token), now]));
    if (used === undefined || recipient === null || unconfirmedOf(stateOf(account)) !== recipient) throw linkOver();
    account.supportEmail = recipient;
    account.supportEmailVerified = true;
    account.supportEmailPending = null;
    await recordChange(tx, account, { changedAt: now, requestId });
    await executeBound(tx, entryStatement({ accountId, userId }));
  });
  wakeRelay();
}

/** Of an account that is verified now, whatever was given before: its own address is the one that is known to be somebody's who answers. */
export function useOwnAddress(account: AccountRow): void {
  account.supportEmail = account.email;
  account.supportEmailVerified = true;
}

/** Verifies a locked account. @param letter of `letterOfVerified`: not sent where another address was given since */
export async function becomeVerified(tx: EntityManager, account: AccountRow, letter: NewLetter | null): Promise<void> {
  if (account.emailVerified) return;
  account.emailVerified = true;
  useOwnAddress(account);
  const pending = account.supportEmailPending ?? null;
  if (letter !== null && isSameMailbox(letter.email, pending)) await replaceLetter(tx, account.id, letter);
}
