import * as contract from '@app/contracts/affiliates';
import { onRequest, onRequestAcrossAccounts, type RequestHandler } from '@app/messaging/serve-requests';
import type { UseCaseDeps } from '@app/service-host/define-service';
import { listCommissions } from './list-commissions.ts';
import { listOrderCommissions } from './list-order-commissions.ts';
import { resolveCredits } from './resolve-credits.ts';

export function commissionRequests(deps: UseCaseDeps): RequestHandler[] {
  return [
    onRequest(contract.listCommissions, (input, { accountId }) => listCommissions(deps, accountId, input)),
    onRequest(contract.listOrderCommissions, ({ orderId }, { accountId }) =>
      listOrderCommissions(deps.database, accountId, orderId),
    ),
    onRequestAcrossAccounts(contract.resolveCredits, ({ wanted }) => resolveCredits(deps.database, wanted)),
  ];
}
