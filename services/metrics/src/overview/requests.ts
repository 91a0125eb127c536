import { getOverview as overviewContract } from '@app/contracts/overview';
import { onRequest, type RequestHandler } from '@app/messaging/serve-requests';
import type { Clock } from '@app/service-kit/clock';
import type { Database } from '@app/service-kit/database';
import { getOverview } from './get-overview.ts';

export function overviewRequests(deps: { database: Database; clock: Clock }): RequestHandler[] {
  return [onRequest(overviewContract, (input, { accountId }) => getOverview(deps, accountId, input))];
}
