import type { PaymentDeps, RestoredDatabase } from '../charging/payment-deps.ts';
import { createResendGuard } from './books/resend-guard.ts';
import { findCapture } from './find-capture.ts';
import { lookUpLostAttempts } from './lost-attempts.ts';

/** @param deps those that get it */
export const createRestoredDatabase = (deps: () => PaymentDeps): RestoredDatabase => ({
  lookUpLostAttempts: (...of) => lookUpLostAttempts(deps(), ...of),
  findCapture: (...of) => findCapture(deps(), ...of),
  mayResendRenewal: createResendGuard(deps),
});
