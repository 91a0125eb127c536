import * as contract from '@app/contracts/affiliates';
import { onRequest, type RequestHandler } from '@app/messaging/serve-requests';
import type { UseCaseDeps } from '@app/service-host/define-service';
import { createPayout } from './create-payout.ts';
import { listPayouts } from './list-payouts.ts';

export function payoutRequests(deps: UseCaseDeps): RequestHandler[] {
  return [
    onRequest(contract.createPayout, (input, context) => createPayout(deps, context, input)),
    onRequest(contract.listPayouts, (input, { accountId }) => listPayouts(deps.database, accountId, input)),
  ];
}
