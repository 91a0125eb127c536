import { listActivity } from '@app/contracts/webhooks';
import { type Answer, answer } from '@app/messaging/serve-requests';
import type { Database } from '@app/service-kit/database';
import { readActivity } from './list-activity.ts';

export function activityRequests(database: Database): Answer[] {
  return [answer(listActivity, (page, context) => readActivity(database, context.accountId, page))];
}
