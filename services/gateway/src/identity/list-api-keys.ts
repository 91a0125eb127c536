import type { apiKeyResource } from '@app/contracts/accounts';
import { limits, type PageQuery } from '@app/contracts/common';
import { dayMs } from '@app/contracts/durations';
import type { Database } from '@app/service-kit/database';
import { type Page, pageOf, unknownBefore } from '@app/service-kit/paging';
import type { z } from 'zod';
import { ApiKey } from './api-key.entity.ts';
import { toResource } from './api-key-resource.ts';

const endedShownDays = 90;

/** Keys that ended before are forgotten: a quarter of a year is for looking up which one it was. */
export function endedKeysKeptSince(now: Date): Date {
  return new Date(now.getTime() - endedShownDays * dayMs);
}

/** Newest first, those that ended within 90 days among them. */
export async function listApiKeys(
  database: Database,
  accountId: string,
  page: PageQuery,
): Promise<Page<z.output<typeof apiKeyResource>>> {
  const em = database.fork();
  const { before, limit = limits.listMax } = page;
  if (before !== undefined && (await em.count(ApiKey, { accountId, id: before })) === 0) throw unknownBefore();
  const where = { accountId, ...(before === undefined ? {} : { id: { $lt: before } }) };
  const { data, ...rest } = pageOf(await em.find(ApiKey, where, { orderBy: { id: 'desc' }, limit: limit + 1 }), page);
  return { data: data.map(toResource), ...rest };
}
