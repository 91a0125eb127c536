import { getRetention as retentionContract } from '@app/contracts/retention';
import { onRequest, type RequestHandler } from '@app/messaging/serve-requests';
import type { Clock } from '@app/service-kit/clock';
import type { Database } from '@app/service-kit/database';
import { getRetention } from './get-retention.ts';

export function retentionRequests(deps: { database: Database; clock: Clock }): RequestHandler[] {
  return [onRequest(retentionContract, (input, { accountId }) => getRetention(deps, accountId, input))];
}
