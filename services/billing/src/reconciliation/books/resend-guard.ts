import { minuteMs } from '@app/contracts/durations';
import { createShare } from '@app/service-kit/share';
import type { Payment } from '../../charging/payment.types.ts';
import type { PaymentDeps, RestoredDatabase } from '../../charging/payment-deps.ts';
import { readUnmatched } from '../unmatched-payments/unmatched-payments.ts';
import { matchNewest } from './charge-when-matched.ts';

/** A list that could not be read may take its whole time again: no renewal of the account asks for it sooner. */
const readAgainAfterMs = 5 * minuteMs;

/**
 * Whether a renewal that the processor never got may be sent again. Where the database was restored since it was sent, its subscription may
 * have been canceled or paused meanwhile, and only the processor's list says that something is lacking here: so it is read before the first renewal
 * of an account is sent again by this process. Once is enough, because no process outlives the restore of its database. While it cannot be
 * read, or the account waits for its seller, nothing is sent again.
 */
export function createResendGuard(deps: () => PaymentDeps): RestoredDatabase['mayResendRenewal'] {
  const share = createShare();
  /** By account, the orders of which something could not be followed. */
  const matched = new Map<string, ReadonlySet<string>>();
  const failedAtMs = new Map<string, number>();
  const match = async (accountId: string, since: Date): Promise<ReadonlySet<string>> => {
    const waiting = await matchNewest(deps(), { accountId, isClosing: () => false }, since);
    const orders = new Set(waiting.map(({ orderId }) => orderId));
    matched.set(accountId, orders);
    return orders;
  };
  return async ({ account_id: accountId, order_id: orderId, test, created_at }: Payment): Promise<boolean> => {
    if (test) return true;
    const { database, logger, clock } = deps();
    if (clock.nowMs() - (failedAtMs.get(accountId) ?? Number.NEGATIVE_INFINITY) < readAgainAfterMs) return false;
    try {
      const waiting = matched.get(accountId) ?? (await share(accountId, () => match(accountId, created_at)));
      return !waiting.has(orderId) && (await readUnmatched(database, accountId)) === undefined;
    } catch (err) {
      failedAtMs.set(accountId, clock.nowMs());
      logger.warn({ err, accountId, orderId }, 'a renewal is not sent again before the processor’s list can be read');
      return false;
    }
  };
}
