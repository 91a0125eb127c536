import type { PaymentDeps } from '../charging/payment-deps.ts';
import { keyRefusedText } from '../charging/payment-notices.rules.ts';
import { keyRefusedCode } from '../processors/refused-key.ts';
import type { DailyStep } from './daily-step.ts';
import { notifyOfRun } from './notify-of-run.ts';

/**
 * The step that says why the account's part of the run ended early: a processor refused its API key. The seller is notified once
 * in a UTC day, be it here or of a payment (`notifyKeyRefused`). In a rehearsal only a payment notifies them.
 */
export function reportRefusedKey(deps: Pick<PaymentDeps, 'database' | 'wakeRelay' | 'clock'>): DailyStep {
  return async (_, { accountId, test, keyRefusal }, counts) => {
    if (keyRefusal.by === null) return;
    const detail = keyRefusedText(keyRefusal.by);
    counts.problems.push({ code: keyRefusedCode, detail });
    if (test) return;
    const now = deps.clock.now();
    const once = now.toISOString().slice(0, 10);
    await notifyOfRun(deps, { accountId, code: keyRefusedCode, once, summary: detail, nowMs: now.getTime() });
  };
}
