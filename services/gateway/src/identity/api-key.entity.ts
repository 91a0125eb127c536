import type { ApiKeyScope } from '@app/contracts/accounts';
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';

export const ApiKey = defineEntity({
  name: 'ApiKey',
  tableName: 'api_keys',
  properties: {
    id: p.text().primary(),
    accountId: p.text(),
    name: p.text(),
    hash: p.blob(),
    prefix: p.text(),
    lastFour: p.text(),
    scopes: p.array().$type<ApiKeyScope[]>(),
    createdAt: p.datetime(),
    expiresAt: p.datetime().nullable(),
    rotatedAt: p.datetime().nullable(),
    /** When it would have ended without its rotation; nothing before that. */
    ownExpiresAt: p.datetime().nullable(),
    revokedAt: p.datetime().nullable(),
    lastUsedAt: p.datetime().nullable(),
  },
});
export type ApiKey = InferEntity<typeof ApiKey>;
