import { hourMs } from '@app/contracts/durations';
import { DomainError } from '@app/contracts/errors';
import { idOfCommand } from '@app/contracts/ids';
import { LockMode } from '@mikro-orm/core';
import type { Actor } from './actors.ts';
import { ApiKey } from './api-key.entity.ts';
import { type Deps, insertKey } from './create-api-key.ts';
import { lockStanding } from './standing.ts';

/**
 * A new key with the old one's name, scopes and own expiry, however often that was rotated; the old one goes on for the
 * overlap, never for longer than it had.
 * @throws DomainError api_key_not_found; insufficient_scope for a key that is not the caller; invalid_transition; unauthorized
 */
export async function rotateApiKey(deps: Deps, actor: Actor, commandId: string, keyId: string, overlapHours: number) {
  return await deps.database.fork().transactional(async (tx) => {
    await lockStanding(tx, actor);
    const old = await tx.findOne(
      ApiKey,
      { id: keyId, accountId: actor.accountId },
      { lockMode: LockMode.PESSIMISTIC_WRITE },
    );
    if (old === null) throw new DomainError('api_key_not_found', 'No API key has this id.');
    requireItself(actor, old.id);
    const now = deps.clock.now();
    const expiresAt = old.expiresAt ?? null;
    const repeated = (await tx.count(ApiKey, { id: idOfCommand('apiKey', commandId), accountId: actor.accountId })) > 0;
    const ended = old.revokedAt != null || (expiresAt !== null && expiresAt <= now);
    if (ended && !repeated) {
      throw new DomainError(
        'invalid_transition',
        'A key that has expired or was revoked cannot be rotated: create a new one.',
      );
    }
    const ownExpiresAt = (old.rotatedAt == null ? old.expiresAt : old.ownExpiresAt) ?? null;
    const like = { name: old.name, scopes: old.scopes, expiresAt: ownExpiresAt };
    const created = await insertKey(tx, deps, actor.accountId, commandId, like);
    const endsAt = new Date(now.getTime() + overlapHours * hourMs);
    if (expiresAt === null || endsAt < expiresAt) old.expiresAt = endsAt;
    old.ownExpiresAt = ownExpiresAt;
    old.rotatedAt ??= now;
    return created;
  });
}

/** A key that was stolen would live on in another one, or for longer than it has. */
function requireItself({ kind, keyId }: Actor, rotated: string): void {
  if (kind === 'key' && keyId !== rotated)
    throw new DomainError('insufficient_scope', 'A key can rotate itself alone: log in to rotate another one.');
}
