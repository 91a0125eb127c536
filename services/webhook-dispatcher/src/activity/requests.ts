import * as contract from '@app/contracts/webhook-deliveries';
import { onRequest, type RequestHandler } from '@app/messaging/serve-requests';
import type { Database } from '@app/service-kit/database';
import { listActivity } from './list-activity.ts';

export function activityRequests(database: Database): RequestHandler[] {
  return [onRequest(contract.listActivity, (page, { accountId }) => listActivity(database, accountId, page))];
}
