import type { ApiKeyScope } from '@app/contracts/accounts';
import { defineTable } from '@app/service-kit/define-table';
import { type InferEntity, p } from '@mikro-orm/core';
import { ofAccount } from './of-account.ts';

export const ApiKey = defineTable('ApiKey', 'api_keys', {
  ...ofAccount(),
  name: p.text(),
  hash: p.blob(),
  /** The pepper of the hash, by `pepperId`; null of keys from before it was kept. */
  pepper: p.text().nullable(),
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
});
export type ApiKey = InferEntity<typeof ApiKey>;
