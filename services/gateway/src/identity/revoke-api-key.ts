import { DomainError } from '@app/contracts/errors';
import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import { ApiKey } from './api-key.entity.ts';

/** Ends a key for good; revoking it again changes nothing. */
export async function revokeApiKey(
  deps: { database: Database; clock: Clock },
  accountId: string,
  keyId: string,
): Promise<void> {
  const em = deps.database.fork();
  const key = await em.findOne(ApiKey, { id: keyId, accountId });
  if (key === null) throw new DomainError('api_key_not_found', 'No API key has this id.');
  key.revokedAt ??= deps.clock.now();
  await em.flush();
}

/** First, for `lockStanding`. */
export const lockKeysStatement = statement('api-keys-lock-all', 'select from accounts where id = $1 for update');
/** Every key of an account, as of a time. */
export const revokeKeysStatement = statement(
  'api-keys-revoke-all',
  'update api_keys set revoked_at = $2 where account_id = $1 and revoked_at is null',
);
