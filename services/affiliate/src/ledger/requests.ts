import { getStatement as contract } from '@app/contracts/affiliates';
import { onRequest, type RequestHandler } from '@app/messaging/serve-requests';
import type { AffiliateDeps } from '../deps.ts';
import { getStatement } from './get-statement.ts';

export function ledgerRequests(deps: AffiliateDeps): RequestHandler[] {
  return [onRequest(contract, (input, { accountId }) => getStatement(deps, accountId, input))];
}
