import { dailyRunNoticed } from '@app/contracts/daily-runs';
import type { EventData } from '@app/contracts/define';
import { notifyOnce } from '@app/messaging/notify-once';
import { outboxRow } from '@app/messaging/outbox';
import type { Database } from '@app/service-kit/database';

export interface Notice {
  readonly accountId: string;
  readonly code: EventData<typeof dailyRunNoticed>['code'];
  /** One notification is sent for the same words here. */
  readonly once: string;
  readonly summary: string;
  /** Of a refused key, as the event has it. */
  readonly lacksPermission?: boolean;
  readonly nowMs: number;
}

/** Notifies the seller of a daily run, once. */
export async function notifyOfRun(
  { database, wakeRelay }: { database: Database; wakeRelay: () => void },
  { accountId, code, once, summary, lacksPermission = false, nowMs }: Notice,
): Promise<void> {
  const data = { code, summary, orderId: null, test: false, ...(lacksPermission && { lacksPermission }) };
  const event = outboxRow(dailyRunNoticed, data, { accountId, requestId: null, nowMs });
  const notification = { accountId, key: `${code} ${once}`, event };
  if ((await notifyOnce(database.pool, [notification], { now: new Date(nowMs) })) > 0) wakeRelay();
}
