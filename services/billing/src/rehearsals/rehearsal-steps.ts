import type { PaymentDeps } from '../charging/payment-deps.ts';
import { settleDueHolds } from '../holds/settle-due-holds.ts';
import type { DailyStep } from '../runs/daily-step.ts';
import { untilRefused } from '../runs/refused-key.ts';
import { reportRefusedKey } from '../runs/report-refused-key.ts';
import { endCanceled } from '../subscriptions/renewals/end-canceled.ts';
import { lookUpRenewals } from '../subscriptions/renewals/look-up-renewals.ts';
import { renewDue } from '../subscriptions/renewals/renew-due.ts';
import { takeRenewalCounts } from '../subscriptions/renewals/take-renewal-counts.ts';
import { checkRehearsedRenewals } from './check-renewals.ts';

/** A day's job of a rehearsal, in its order. Its books are compared with nothing: no money moves. */
export const rehearsalSteps = (payments: PaymentDeps): readonly DailyStep[] => [
  lookUpRenewals((_, run) => checkRehearsedRenewals(untilRefused(payments, run), run)),
  async (_, run) => void (await settleDueHolds(untilRefused(payments, run), run)),
  renewDue(payments),
  endCanceled(payments),
  reportRefusedKey(payments),
  takeRenewalCounts,
];
