import type { Clock } from '@app/service-kit/clock';
import { statement } from '@app/service-kit/database';
import type { Actor } from './actors.ts';
import { checkPassword, type PasswordDeps } from './check-password.ts';
import type { Letters } from './letters/letters.ts';
import { insertNoticeStatement, noticeValues } from './letters/new-letter.ts';
import { checkNewPassword } from './new-password.ts';
import { hashPassword, type PasswordCost } from './password.ts';
import { passwordChanged } from './pending-login.ts';
import { lockKeysStatement, revokeKeysStatement } from './revoke-api-key.ts';

/** First: what ends the sessions then sees each that was opened before. */
const lock = statement<{ id: string }>('password-lock', 'select id from users where id = $1 for update', {
  id: 'text',
});
/** Nothing, when the hash is another than the one that was checked. */
const change = statement<{ id: string }>(
  'password-change',
  `with changed as (update users set password_hash = $3 where id = $1 and password_hash = $2 returning id),
     pending as (delete from pending_logins as p using changed as c where p.user_id = c.id),
     ended as (delete from sessions as s using changed as c where s.user_id = c.id and s.id <> $4),
     unconfirmed as (update sessions as s set confirmed_at = null from changed as c where s.user_id = c.id and s.id = $4)
   select id from changed`,
  { id: 'text' },
);

/** In a statement of its own: it sees a change of address that was requested while the first one waited for the user's row. */
const dropChange = statement(
  'password-change-email',
  `delete from letters where user_id = $1 and kind in ('email_change', 'support_email')`,
);

interface PasswordChange {
  readonly password: string;
  readonly newPassword: string;
  /** Whether every API key of the account is revoked too. */
  readonly revokeKeys?: boolean | undefined;
}

/** Where it was requested: the client's address, and what the letter's link stands under. */
export interface RequestedAt {
  readonly address: string;
  readonly baseUrl: string;
}

/** @param call of the API; no tool makes such a request, so that it has an address of this deployment */
export const requestedAt = ({ address, ownUrls }: { address: string; ownUrls: readonly string[] }): RequestedAt => ({
  address,
  baseUrl: ownUrls[0] ?? '',
});

/**
 * Gives a logged-in user a new password, ends all their other sessions and the confirmation of this one, drops changes of
 * addresses that wait, and notifies them by a letter, in one transaction.
 * @throws DomainError invalid_credentials, also when the password was changed meanwhile; validation_failed
 */
export async function changePassword(
  deps: PasswordDeps & { readonly passwordCost: PasswordCost; readonly letters: Pick<Letters, 'notice' | 'wake'> } & {
    readonly clock: Clock;
  },
  actor: Actor,
  { password, newPassword, revokeKeys = false }: PasswordChange,
  { address, baseUrl }: RequestedAt,
): Promise<void> {
  const { id, email, passwordHash } = await checkPassword(deps, actor, password, address);
  await checkNewPassword(newPassword, email, 'newPassword');
  const now = deps.clock.now();
  const newHash = await hashPassword(newPassword, id, deps.passwordCost);
  // Until the address is verified it may be a stranger's.
  const isOwn = actor.settings.emailVerified;
  const notice = isOwn ? await deps.letters.notice('password_notice', { email, baseUrl }) : null;
  await deps.database.transaction(async (client) => {
    await client.query(lock([id]));
    const { rowCount } = await client.query(change([id, passwordHash, newHash, actor.sessionId]));
    if (rowCount === 0) throw passwordChanged();
    await client.query(dropChange([id]));
    if (revokeKeys) {
      await client.query(lockKeysStatement([actor.accountId]));
      await client.query(revokeKeysStatement([actor.accountId, now]));
    }
    if (notice !== null) await client.query(insertNoticeStatement(noticeValues(notice, id)));
  });
  deps.letters.wake();
}
