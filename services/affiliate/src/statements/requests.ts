import { getStatement as contract } from '@app/contracts/affiliates';
import { onRequest, type RequestHandler } from '@app/messaging/serve-requests';
import type { UseCaseDeps } from '@app/service-host/define-service';
import { getStatement } from './get-statement.ts';

export function ledgerRequests(deps: UseCaseDeps): RequestHandler[] {
  return [onRequest(contract, (input, { accountId }) => getStatement(deps, accountId, input))];
}
