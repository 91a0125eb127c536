import { lookUpLostAttempts } from './lost-attempts.ts';
import type { PaymentDeps, RestoredDatabase } from '../charging/payment-deps.ts';
import { findCapture } from '../holds/find-capture.ts';
import { createResendGuard } from './books/resend-guard.ts';

/** @param deps those that get it */
export const createRestoredDatabase = (deps: () => PaymentDeps): RestoredDatabase => ({
  lookUpLostAttempts: (...of) => lookUpLostAttempts(deps(), ...of),
  findCapture: (...of) => findCapture(deps(), ...of),
  mayResendRenewal: createResendGuard(deps),
});
