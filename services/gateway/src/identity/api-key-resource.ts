import type { apiKeyResource } from '@app/contracts/accounts';
import type { z } from 'zod';
import type { ApiKey } from './api-key.entity.ts';

export function toResource(key: ApiKey): z.output<typeof apiKeyResource> {
  return {
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    last_four: key.lastFour,
    scopes: key.scopes,
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
  };
}
