import { hash } from 'node:crypto';
import { dayMs } from '@app/contracts/durations';
import { idOfCommand, idSuffixOf, idTimeMs } from '@app/contracts/ids';
import { nthPeriodEnd } from '../period.rules.ts';
import type { DueSubscription } from './due-subscriptions.ts';

/** Part of keys that were sent: it must not follow `retryDays` (`renewal.rules.ts`), should they change. */
const retryMs = 3 * dayMs;

/**
 * The id of a renewal's payment, which is its idempotency key: it follows from subscription, period and attempt alone. Whatever is
 * recorded here, the key is the same, and the processor answers what it answered before.
 * Its time is about when the attempt falls due, so that payments list in that order.
 */
export function renewalKey(
  { id, billing_interval }: Pick<DueSubscription, 'id' | 'billing_interval'>,
  period: number,
  attemptNo: number,
): string {
  const dueAt = nthPeriodEnd(new Date(idTimeMs(id)), billing_interval, period - 1);
  const entropy = hash('sha256', `${id} ${period} ${attemptNo}`, 'buffer');
  return idOfCommand('payment', idSuffixOf(dueAt.getTime() + (attemptNo - 1) * retryMs, entropy));
}
