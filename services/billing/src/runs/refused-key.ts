import type { PaymentDeps } from '../charging/payment-deps.ts';
import { untilKeyRefused } from '../processors/key-refusal.ts';
import type { AccountRun } from './daily-step.ts';

/** What a step of the run sends with: by `untilKeyRefused` nothing more, once a processor has refused the account's API key. */
export const untilRefused = (deps: PaymentDeps, { keyRefusal }: Pick<AccountRun, 'keyRefusal'>): PaymentDeps => ({
  ...deps,
  processors: untilKeyRefused(deps.processors, keyRefusal),
});

/** Whether a step that requests something of a processor begins nothing more. */
export const mustEnd = (run: Pick<AccountRun, 'keyRefusal' | 'isClosing'>): boolean =>
  run.isClosing() || run.keyRefusal.by !== null;
