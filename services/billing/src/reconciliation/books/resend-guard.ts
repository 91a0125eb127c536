import { minuteMs } from '@app/contracts/durations';
import { within } from '@app/service-kit/within';
import type { Payment } from '../../charging/payment.types.ts';
import type { PaymentDeps, RestoredDatabase } from '../../charging/payment-deps.ts';
import { newestPaymentsRead } from '../../points/points.ts';
import { readUnmatched } from '../unmatched-payments/unmatched-payments.ts';
import { matchNewest } from './charge-when-matched.ts';

/** A list that could not be read may take its whole time again: no renewal of the account asks for it sooner. */
const readAgainAfterMs = 5 * minuteMs;

/** Foreign money fills a list too, so that reading may take long: the round of a look-up has other accounts to go on with. */
const waitAtMostMs = 10_000;

export interface ResendGuard extends Pick<RestoredDatabase, 'mayResendRenewal'> {
  /** Ends the readings that are under way. */
  close(): Promise<void>;
}

/** A reading of an account's list. Neither fails. */
interface Reading {
  readonly ended: Promise<void>;
  /** Its end, or the time from which nobody waits for it. */
  readonly waitedFor: Promise<void>;
}

/**
 * Whether a renewal that the processor never got may be sent again. Where the database was restored since it was sent, its subscription may
 * have been canceled or paused meanwhile, and only the processor's list says that something is lacking here: so it is read before the first renewal
 * of an account is sent again by this process. Once is enough, because no process outlives the restore of its database. While it cannot be
 * read, or the account waits for its seller, nothing is sent again. A list that takes longer than anybody waits is read on, and a later look-up
 * finds it read.
 * @param listWaitMs how long the look-ups of an account wait for a reading, all together, in milliseconds of real time
 */
export function createResendGuard(deps: () => PaymentDeps, listWaitMs = waitAtMostMs): ResendGuard {
  /** By account, the orders of which something could not be followed. */
  const matched = new Map<string, ReadonlySet<string>>();
  const failedAtMs = new Map<string, number>();
  const readings = new Map<string, Reading>();
  let closing = false;
  const read = async (accountId: string, since: Date): Promise<void> => {
    try {
      const waiting = await matchNewest(deps(), { accountId, isClosing: () => closing }, since);
      if (!closing) matched.set(accountId, new Set(waiting.map(({ orderId }) => orderId)));
    } catch (err) {
      const { logger, clock } = deps();
      failedAtMs.set(accountId, clock.nowMs());
      logger.warn(
        { err, accountId },
        'no renewal of the account is sent again before the processor’s list can be read',
      );
    } finally {
      readings.delete(accountId);
      newestPaymentsRead.announce(() => ({ accountId }));
    }
  };
  const begin = (accountId: string, since: Date): Reading => {
    const ended = read(accountId, since);
    const reading = { ended, waitedFor: within(listWaitMs, ended, () => undefined) };
    readings.set(accountId, reading);
    return reading;
  };
  return {
    mayResendRenewal: async ({ accountId, orderId, test, createdAt }: Payment) => {
      if (test) return true;
      const { database, clock } = deps();
      if (clock.nowMs() - (failedAtMs.get(accountId) ?? Number.NEGATIVE_INFINITY) < readAgainAfterMs) return false;
      if (!matched.has(accountId)) await (readings.get(accountId) ?? begin(accountId, createdAt)).waitedFor;
      const waiting = matched.get(accountId);
      if (waiting === undefined || waiting.has(orderId)) return false;
      return (await readUnmatched(database, accountId)) === undefined;
    },
    close: async () => {
      closing = true;
      await Promise.all([...readings.values()].map(({ ended }) => ended));
    },
  };
}
