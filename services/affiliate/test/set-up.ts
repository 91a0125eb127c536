import { createAffiliate, listCommissions } from '@app/contracts/affiliates';
import type { RequestInput } from '@app/contracts/define';
import { newId } from '@app/contracts/ids';
import { openForFile } from '@app/testing/opened';
import { beforeEach } from 'vitest';
import { type AffiliateHarness, startAffiliate } from './harness.ts';

/** Of the test file that is running. */
export let service: AffiliateHarness;
/** Of the test that is running: each has an account of its own. */
export let accountId: string;

/** Called at the top of a test file: starts the service before its tests and closes it after them. */
export function startService(): void {
  openForFile(async () => {
    service = await startAffiliate();
    return service;
  });
  beforeEach(() => {
    accountId = newId('account', Date.now());
  });
}

type Terms = Partial<RequestInput<typeof createAffiliate>['body']>;

/** Pat, who earns 30 % of first sales, unless the fields say otherwise. */
export const addAffiliate = (fields: Terms = { commissionPercent: 30 }, owner = accountId) => {
  const body = { code: 'PAT', name: 'Pat', email: 'pat@example.com', ...fields };
  return service.request(createAffiliate, { body }, { accountId: owner });
};

/** The affiliate's commissions, those of the latest sales first: ids of sample orders are younger than their sales. */
export const commissionsOf = async (code = 'PAT') =>
  (await service.request(listCommissions, { code }, { accountId })).data.toSorted((a, b) =>
    b.created_at.localeCompare(a.created_at),
  );
