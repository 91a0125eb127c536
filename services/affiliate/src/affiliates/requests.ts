import * as contract from '@app/contracts/affiliates';
import { type Answer, answer } from '@app/messaging/serve-requests';
import type { AffiliateDeps } from '../deps.ts';
import { createAffiliate } from './create-affiliate.ts';
import { listAffiliates } from './list-affiliates.ts';
import { updateAffiliate } from './update-affiliate.ts';

export function affiliateRequests(deps: AffiliateDeps): Answer[] {
  return [
    answer(contract.listAffiliates, (page, { accountId }) => listAffiliates(deps.database, accountId, page)),
    answer(contract.createAffiliate, (input, context) => createAffiliate(deps, context, input)),
    answer(contract.updateAffiliate, (input, context) => updateAffiliate(deps, context, input)),
  ];
}
