import type { PaymentDeps } from '../charging/payment-deps.ts';
import { keyRefusedText, notPermittedText } from '../charging/payment-notices.rules.ts';
import { keyRefusedCode } from '../processors/key-refusal.ts';
import type { DailyStep } from './daily-step.ts';
import { notifyOfRun } from './notify-of-run.ts';

/**
 * The step that says why the account's part of the run ended early, because a processor refused its API key, or what was left out because
 * the key may not do it. The seller is notified of each once in a UTC day, be it here or of a payment (`notifyUndone`). In a rehearsal
 * only a payment notifies them.
 */
export function reportRefusedKey(deps: Pick<PaymentDeps, 'database' | 'wakeRelay' | 'clock'>): DailyStep {
  return async (_, { accountId, test, keyRefusal: { by, lacked } }, counts) => {
    const now = deps.clock.now();
    const today = now.toISOString().slice(0, 10);
    const report = async (detail: string, once: string, lacksPermission: boolean): Promise<void> => {
      counts.problems.push({ code: keyRefusedCode, detail });
      if (test) return;
      const said = { accountId, code: keyRefusedCode, once, summary: detail, lacksPermission } as const;
      await notifyOfRun(deps, { ...said, nowMs: now.getTime() });
    };
    if (by !== null) await report(keyRefusedText(by, test), today, false);
    if (lacked.size > 0) await report(notPermittedText('stripe', [...lacked], test), `permissions ${today}`, true);
  };
}
