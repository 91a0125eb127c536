import { dailyRunNoticed } from '@app/contracts/daily-runs';
import type { EventData } from '@app/contracts/define';
import { outboxRow, writeOutboxOnce } from '@app/messaging/outbox';
import type { Database } from '@app/service-kit/database';

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
  const written = await writeOutboxOnce(database.pool, key, events);
  if (written) wakeRelay();
  return written;
}
