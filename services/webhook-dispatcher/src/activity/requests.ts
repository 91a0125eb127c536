import { listActivity } from '@app/contracts/webhooks';
import { onRequest, type RequestHandler } from '@app/messaging/serve-requests';
import type { Database } from '@app/service-kit/database';
import { readActivity } from './list-activity.ts';

export function activityRequests(database: Database): RequestHandler[] {
  return [onRequest(listActivity, (page, context) => readActivity(database, context.accountId, page))];
}
