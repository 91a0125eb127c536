import type { ApiKeyScope } from '@app/contracts/accounts';
import { idOfCommand } from '@app/contracts/ids';
import type { Clock } from '@app/service-kit/clock';
import type { Database } from '@app/service-kit/database';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Actor } from './actors.ts';
import { ApiKey } from './api-key.entity.ts';
import { hashApiKey, newApiKey, pepperId, shownParts } from './api-key-format.ts';
import { toResource } from './api-key-resource.ts';
import { lockStanding } from './standing.ts';

export interface Deps {
  readonly database: Database;
  readonly clock: Clock;
  readonly config: { readonly KEY_PEPPER: string };
}

export interface NewApiKey {
  readonly name: string;
  readonly scopes: ApiKeyScope[];
  readonly expiresAt: Date | null;
}

/**
 * Makes a key. The result is the only copy of the key itself.
 * @param actor whose session has to stand until it is made; none where the process itself makes one
 * @throws DomainError unauthorized
 */
export async function createApiKey(deps: Deps, accountId: string, commandId: string, wanted: NewApiKey, actor?: Actor) {
  return await deps.database.fork().transactional(async (tx) => {
    if (actor !== undefined) await lockStanding(tx, actor);
    return await insertKey(tx, deps, accountId, commandId, wanted);
  });
}

/**
 * A repeated command replaces the key of its first run. The first response reached no caller, so that no caller holds that key,
 * and the account has one key for one command.
 */
export async function insertKey(
  tx: EntityManager,
  deps: Deps,
  accountId: string,
  commandId: string,
  wanted: NewApiKey,
) {
  const key = newApiKey();
  const row: ApiKey = {
    id: idOfCommand('apiKey', commandId),
    accountId,
    ...wanted,
    ...shownParts(key),
    hash: hashApiKey(key, deps.config.KEY_PEPPER),
    pepper: pepperId(deps.config.KEY_PEPPER),
    createdAt: deps.clock.now(),
    rotatedAt: null,
    ownExpiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
  } as ApiKey;
  await tx.upsert(ApiKey, row);
  return { ...toResource(row), key };
}
