import type { PaymentDeps } from '../payments/payment-deps.ts';
import { sumDue } from '../renewals/due-subscriptions.ts';
import { chargeLimitText } from './charge-limit.rules.ts';
import { readChargeLimit } from './charge-limit.ts';
import type { DailyStep } from './daily-step.ts';
import { tellOnce } from './notice.ts';

/**
 * A step that charges, unless more is due than the account's limit of charges allows: then it charges nothing, the run is
 * not `ok`, and the seller is told once a day. A rehearsal has no limit, and neither has a run that is forced.
 */
export function chargeWithinLimit(
  deps: Pick<PaymentDeps, 'database' | 'wakeRelay' | 'logger'>,
  charge: DailyStep,
): DailyStep {
  return async (stepDeps, run, counts) => {
    if (run.force || run.test) return await charge(stepDeps, run, counts);
    const { accountId, runId } = run;
    const scope = { accountId, test: false, now: run.now(), closed: run.closed };
    const due = await sumDue(deps.database, scope);
    if (due.length === 0) return;
    const limit = await readChargeLimit(deps.database, scope, due);
    if (!limit.exceeded) return await charge(stepDeps, run, counts);
    const detail = chargeLimitText(limit.currencies, limit.times);
    counts.problems.push({ code: 'charge_limit', detail });
    deps.logger.warn({ accountId, runId, due }, 'a daily run stopped at the limit of charges');
    const once = scope.now.toISOString().slice(0, 10);
    await tellOnce(deps, { accountId, code: 'charge_limit', once, summary: detail, nowMs: scope.now.getTime() });
  };
}
