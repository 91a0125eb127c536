import type { PaymentDeps, RestoredDatabase } from '../charging/payment-deps.ts';
import { createResendGuard } from './books/resend-guard.ts';
import { findCapture } from './find-capture.ts';
import { lookUpLostAttempts, mayHaveSent } from './lost-attempts.ts';

/** What reconciliation does for charging, until it closes. */
export interface OpenedRestoredDatabase extends RestoredDatabase {
  /** Waits for the end of the lists that are being read; the calls of the processor were ended before. */
  close(): Promise<void>;
}

/**
 * @param deps those that get it
 * @param listWaitMs how long a look-up waits for the list of a processor, in milliseconds of real time
 */
export function createRestoredDatabase(deps: () => PaymentDeps, listWaitMs?: number): OpenedRestoredDatabase {
  const guard = createResendGuard(deps, listWaitMs);
  return {
    lookUpLostAttempts: (...of) => lookUpLostAttempts(deps(), ...of),
    mayHaveSent: (begunMs) => mayHaveSent(deps(), begunMs),
    findCapture: (...of) => findCapture(deps(), ...of),
    mayResendRenewal: guard.mayResendRenewal,
    close: guard.close,
  };
}
