import type { PaymentDeps } from '../payments/payment-deps.ts';
import { keyRefusedText } from '../payments/payment-notices.rules.ts';
import { keyRefusedCode } from '../processors/refused-key.ts';
import type { DailyStep } from '../runs/daily-step.ts';
import { notifyOfRun } from '../runs/notify-of-run.ts';

/**
 * The step that says why the account's part of the run ended early: a processor refused its API key. The seller is notified once
 * in a UTC day, be it here or of a payment (`notifyKeyRefused`).
 */
export function reportRefusedKey(deps: Pick<PaymentDeps, 'database' | 'wakeRelay' | 'clock'>): DailyStep {
  return async (_, { accountId, keyRefusal }, counts) => {
    if (keyRefusal.by === null) return;
    const detail = keyRefusedText(keyRefusal.by);
    counts.problems.push({ code: keyRefusedCode, detail });
    const now = deps.clock.now();
    const once = now.toISOString().slice(0, 10);
    await notifyOfRun(deps, { accountId, code: keyRefusedCode, once, summary: detail, nowMs: now.getTime() });
  };
}
