import { dailyRunNoticed } from '@app/contracts/daily-runs';
import { notifyOnce } from '@app/messaging/notify-once';
import { outboxRow } from '@app/messaging/outbox';
import type { PaymentDeps } from '../../charging/payment-deps.ts';
import { runKeepDays } from '../../db/retention.ts';
import type { FactsOf } from '../../ledger/write-facts.ts';
import type { Orphan } from './books.rules.ts';

/**
 * Notifies the seller of each orphan once.
 * @returns of how many now
 */
export async function notifyOrphans(
  { database, clock, wakeRelay }: PaymentDeps,
  { accountId, processor }: Pick<FactsOf, 'accountId' | 'processor'>,
  orphans: readonly Orphan[],
): Promise<number> {
  if (orphans.length === 0) return 0;
  const now = clock.now();
  const source = { accountId, requestId: null, nowMs: now.getTime() };
  const notifications = orphans.map(({ side, kind, id, detail: summary, orderId }) => ({
    accountId,
    key: `orphan ${processor} ${side} ${kind} ${id}`,
    event: outboxRow(dailyRunNoticed, { code: 'orphan', summary, orderId, test: false }, source),
  }));
  const sent = await notifyOnce(database.pool, notifications, { now, keepDays: runKeepDays });
  wakeRelay();
  return sent;
}
