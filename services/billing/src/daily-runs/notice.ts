import { dailyRunNoticed } from '@app/contracts/daily-runs';
import type { EventData } from '@app/contracts/define';
import { insertOutboxIfAny, outboxRow } from '@app/messaging/outbox';
import { type Database, statement } from '@app/service-kit/database';

const noticeStatement = statement(
  'daily-runs-notice',
  `with told as (
     insert into commands (id, result) values ($1, '{}') on conflict (id) do nothing returning id
   )
   ${insertOutboxIfAny('told', '$2')}`,
);

export interface Notice {
  readonly accountId: string;
  readonly code: EventData<typeof dailyRunNoticed>['code'];
  /** A notice with the same words here is told once. */
  readonly once: string;
  readonly summary: string;
  readonly nowMs: number;
}

/** Tells the seller, once. @returns whether it was told now */
export async function tellOnce(
  { database, wakeRelay }: { database: Database; wakeRelay: () => void },
  { accountId, code, once, summary, nowMs }: Notice,
): Promise<boolean> {
  const data = { code, summary, orderId: null, test: false };
  const events = [outboxRow(dailyRunNoticed, data, { accountId, requestId: null, nowMs })];
  const key = `daily-run ${code} ${accountId} ${once}`;
  const { rowCount } = await database.pool.query(noticeStatement([key, JSON.stringify(events)]));
  if (rowCount === 1) wakeRelay();
  return rowCount === 1;
}
