import * as contract from '@app/contracts/affiliates';
import { onRequest, type RequestHandler } from '@app/messaging/serve-requests';
import type { UseCaseDeps } from '@app/service-host/define-service';
import { createAffiliate } from './create-affiliate.ts';
import { getAffiliate } from './get-affiliate.ts';
import { listAffiliates } from './list-affiliates.ts';
import { updateAffiliate } from './update-affiliate.ts';

export function affiliateRequests(deps: UseCaseDeps): RequestHandler[] {
  return [
    onRequest(contract.listAffiliates, (page, { accountId }) => listAffiliates(deps, accountId, page)),
    onRequest(contract.getAffiliate, ({ code }, { accountId }) => getAffiliate(deps, accountId, code)),
    onRequest(contract.createAffiliate, (input, context) => createAffiliate(deps, context, input)),
    onRequest(contract.updateAffiliate, (input, context) => updateAffiliate(deps, context, input)),
  ];
}
