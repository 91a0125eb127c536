import type { PaymentDeps } from '../payments/payment-deps.ts';
import type { DailyCounts } from '../runs/daily-counts.rules.ts';
import type { AccountRun, DailyStep, StepDeps } from '../runs/daily-step.ts';
import { endForcedWork, keepForcedWork } from '../runs/forced-work.ts';
import { notifyOfRun } from '../runs/notify-of-run.ts';
import { chargeLimitText } from './charge-limit.rules.ts';
import { readChargePlan } from './charge-plan.ts';

/**
 * A step that charges. Where more is due than the account's limit of charges allows, it charges up to that, the longest due
 * first, and what a forced run has begun; the rest waits for the next run, this one is not `ok`, and the seller is notified once a day. A rehearsal has no limit, and neither has a
 * run that is forced: what that one does not finish, the next one does.
 */
export function chargeWithinLimit(
  deps: Pick<PaymentDeps, 'database' | 'wakeRelay' | 'logger'>,
  charge: DailyStep,
): DailyStep {
  return async (stepDeps, run, counts) => {
    if (run.test) return await charge(stepDeps, run, counts);
    const { accountId } = run;
    const scope = { accountId, test: false, now: run.now(), renewedByLookUp: run.renewedByLookUp };
    if (run.force) return await chargeForced(charge, stepDeps, run, counts);
    const { limit, waiting, forced, scope: chargeScope } = await readChargePlan(deps.database, scope);
    if (limit.exceeded) {
      const detail = chargeLimitText(limit.currencies, waiting, limit.times);
      counts.waiting += waiting.reduce((sum, { count }) => sum + count, 0);
      counts.problems.push({ code: 'charge_limit', detail });
      const { runId } = run;
      deps.logger.warn({ accountId, runId, due: limit.currencies }, 'a daily run stopped at the limit of charges');
      const once = scope.now.toISOString().slice(0, 10);
      await notifyOfRun(deps, { accountId, code: 'charge_limit', once, summary: detail, nowMs: scope.now.getTime() });
    }
    if (chargeScope === null) return;
    const { bounds } = chargeScope;
    const charging = bounds === undefined ? run : { ...run, bounds };
    if (forced === null) return await charge(stepDeps, charging, counts);
    await keepForcedWork(deps.database, run, forced.until);
    await chargeForced(charge, stepDeps, charging, counts);
  };
}

/** Charges, and takes the mark of forced work away once all of it is done. */
async function chargeForced(charge: DailyStep, deps: StepDeps, run: AccountRun, counts: DailyCounts): Promise<void> {
  const problems = counts.problems.length;
  await charge(deps, run, counts);
  if (run.isClosing() || counts.problems.length > problems) return;
  await endForcedWork(deps.database, run.accountId);
}
