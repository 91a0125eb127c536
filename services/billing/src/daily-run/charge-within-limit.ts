import type { PaymentDeps } from '../charging/payment-deps.ts';
import type { DailyStep } from '../runs/daily-step.ts';
import { notifyOfRun } from '../runs/notify-of-run.ts';
import { mustEnd } from '../runs/refused-key.ts';
import { chargeLimitText } from './charge-limit.rules.ts';
import { readChargePlan } from './charge-plan.ts';
import { endLimitWaivers, waiveLimit } from './limit-waiver.ts';

/**
 * A step that charges. Where more is due than the account's limit of charges allows, it charges up to that, the longest due
 * first; the rest waits for the next run, this one is not `ok`, and the seller is notified once a day. A waiver of the limit
 * ends once all that it waived was charged. A rehearsal has no limit.
 */
export function chargeWithinLimit(
  deps: Pick<PaymentDeps, 'database' | 'wakeRelay' | 'logger'>,
  charge: DailyStep,
): DailyStep {
  return async (stepDeps, run, counts) => {
    if (run.test) return await charge(stepDeps, run, counts);
    const { accountId, runId } = run;
    const now = run.now();
    const due = { accountId, test: false, now, notCharged: run.notCharged };
    const { limit, waiting, waivedUntil, scope } = await readChargePlan(deps.database, due);
    if (limit.exceeded) {
      const detail = chargeLimitText(limit.currencies, waiting, limit.times);
      counts.waiting += waiting.reduce((sum, { count }) => sum + count, 0);
      counts.problems.push({ code: 'charge_limit', detail });
      deps.logger.warn({ accountId, runId, due: limit.currencies }, 'a daily run stopped at the limit of charges');
      const once = now.toISOString().slice(0, 10);
      await notifyOfRun(deps, { accountId, code: 'charge_limit', once, summary: detail, nowMs: now.getTime() });
    }
    const problems = counts.problems.length;
    if (scope !== null) {
      // A waiver of a run over all accounts ends for this account when this run has a result: its own row goes on with it.
      if (waivedUntil !== null) await waiveLimit(deps.database, run, waivedUntil);
      await charge(stepDeps, { ...run, ...(scope.cutOffs && { cutOffs: scope.cutOffs }) }, counts);
    }
    if (waivedUntil === null || mustEnd(run) || counts.problems.length > problems) return;
    await endLimitWaivers(deps.database, accountId);
  };
}
