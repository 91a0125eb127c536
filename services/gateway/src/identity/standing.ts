import { executeBound } from '@app/service-kit/bound-sql';
import { statement } from '@app/service-kit/database';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Actor } from './actors.ts';
import { unauthorized } from './unauthorized.ts';

/** What revokes all keys locks the account for itself first: it waits for those being made, and those that come then wait for it. */
const shareStatement = statement<{ id: string }>('standing-share', 'select id from accounts where id = $1 for share', {
  id: 'text',
});
const sessionStatement = statement<{ id: string }>(
  'standing-session',
  'select id from sessions where id = $1 and user_id = $2 and (confirmed_at is not null or not $3::bool)',
  { id: 'text' },
);
const keyStatement = statement<{ id: string }>(
  'standing-key',
  'select id from api_keys where id = $1 and account_id = $2 and revoked_at is null',
  { id: 'text' },
);

/**
 * Requires in the transaction of a change, with the account locked, that the credential was not ended since the call began: by a reset,
 * say, which would find the change made after it.
 * @param confirmed whether the person of a session has to be confirmed still; a new password ends that
 * @throws DomainError unauthorized
 */
export async function requireStanding(tx: EntityManager, actor: Actor, confirmed = false): Promise<void> {
  const { kind, sessionId, userId, keyId, accountId } = actor;
  const standing =
    kind === 'session'
      ? await executeBound(tx, sessionStatement([sessionId, userId, confirmed]))
      : await executeBound(tx, keyStatement([keyId, accountId]));
  if (standing.length === 0) throw unauthorized();
}

/** The same for a key that is made, whose account is not locked otherwise. @throws DomainError unauthorized */
export async function lockStanding(tx: EntityManager, actor: Actor): Promise<void> {
  await executeBound(tx, shareStatement([actor.accountId]));
  await requireStanding(tx, actor, true);
}
