import * as contract from '@app/contracts/withdrawals';
import { onRequest, type RequestHandler } from '@app/messaging/serve-requests';
import type { UseCaseDeps } from '@app/service-host/define-service';
import { closeWithdrawal } from './close-withdrawal.ts';
import { confirmWithdrawal } from './confirm-withdrawal.ts';
import { listWithdrawals } from './list-withdrawals.ts';
import { requestWithdrawal } from './request-withdrawal.ts';

export function withdrawalRequests(deps: UseCaseDeps): RequestHandler[] {
  return [
    onRequest(contract.requestWithdrawal, ({ body }, { accountId }) =>
      requestWithdrawal(deps.database, accountId, body),
    ),
    onRequest(contract.confirmWithdrawal, ({ body }, context) => confirmWithdrawal(deps, body, context)),
    onRequest(contract.listWithdrawals, (query, { accountId }) => listWithdrawals(deps.database, accountId, query)),
    onRequest(contract.closeWithdrawal, (input, context) => closeWithdrawal(deps, input, context)),
  ];
}
