import type { apiKeyResource } from '@app/contracts/accounts';
import { limits, type PageQuery } from '@app/contracts/common';
import type { Database } from '@app/service-kit/database';
import type { z } from 'zod';
import { ApiKey } from './api-key.entity.ts';
import { toResource } from './api-key-resource.ts';

type Listed = { data: z.output<typeof apiKeyResource>[]; has_more?: boolean };

const endedShownDays = 90;

/** Keys that ended before are forgotten: a quarter of a year is for looking up which one it was. */
export function endedKeysKeptSince(now: Date): Date {
  return new Date(now.getTime() - endedShownDays * 24 * 60 * 60 * 1000);
}

/** Newest first, those that ended within 90 days among them. */
export async function listApiKeys(database: Database, accountId: string, page: PageQuery): Promise<Listed> {
  const limit = page.limit ?? limits.listMax;
  const where = { accountId, ...(page.before === undefined ? {} : { id: { $lt: page.before } }) };
  const keys = await database.fork().find(ApiKey, where, { orderBy: { id: 'desc' }, limit: limit + 1 });
  const data = keys.slice(0, limit).map(toResource);
  const paging = page.limit !== undefined || page.before !== undefined;
  return paging ? { data, has_more: keys.length > limit } : { data };
}
