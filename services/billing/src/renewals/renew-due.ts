import { isOutage } from '@app/service-kit/outages';
import { createSemaphore, type Semaphore } from '@app/service-kit/semaphore';
import type { DailyCounts } from '../daily-runs/daily-counts.rules.ts';
import type { DailyStep, RunOfAccount } from '../daily-runs/daily-step.ts';
import type { Payment } from '../payments/payment.types.ts';
import type { PaymentChange } from '../payments/payment-change.rules.ts';
import type { PaymentDeps } from '../payments/payment-deps.ts';
import { askProcessor, named, recordAnswer } from '../payments/send-payment.ts';
import { claimRenewals, type RenewalRun } from './claim-renewals.ts';
import { type DueCursor, type DueSubscription, readDue, sumDue } from './due-subscriptions.ts';
import { needsNoPayment, renewWithoutPayment } from './renew-without-payment.ts';
import { createTaskGroup, type TaskGroup } from './task-group.ts';

/**
 * Claimed and not sent, or read ahead, are two batches at most. At 64 calls at once that a processor lets run into their
 * deadline of 8 s, a batch is sent within 32 s: before the first look-up of its payments.
 */
const batchMax = 256;
/** Calls of one account's processor at once: with 50 ms each, some 1,200 a second. */
const callsOfAccountMax = 64;
/** Of all accounts together. Each waits with so many at most, so that accounts take turns. */
const callsMax = 128;
/** Payments of one account between claim and record: an answer that waits to be recorded with others keeps no call waiting. */
const underWayMax = 256;
/** A processor that leaves so many in a row without an answer is not troubled any further by this run. */
const unansweredMax = 64;
const unansweredDetail =
  'The payment processor gave no answers any more, so the rest of what is due was left to the next run.';

/**
 * The step that charges what is due: renewals and retries, one period at most for each subscription. Every payment is
 * written before its call. What a process that died had sent, or was about to, is looked up by the payments loop. What
 * became of them is counted from the rows of their ends, by `countRenewals`.
 */
export function renewDue(deps: PaymentDeps): DailyStep {
  const shared = createSemaphore(callsMax);
  return async (_, run, counts) => await renewOfAccount(deps, shared, run, counts);
}

/** What the parts of one account's step share. */
interface Step {
  readonly deps: PaymentDeps;
  readonly shared: Semaphore;
  readonly run: RunOfAccount;
  readonly renewing: RenewalRun;
  readonly underWay: TaskGroup;
  readonly calls: TaskGroup;
  /** Payments in a row whose outcome nobody knows. */
  unanswered: number;
}

async function renewOfAccount(
  deps: PaymentDeps,
  shared: Semaphore,
  run: RunOfAccount,
  counts: DailyCounts,
): Promise<void> {
  const { accountId, runId, test, closed, forced } = run;
  const renewing = { accountId, runId, test, closed, now: run.now(), ...(forced && { forced }) };
  const step: Step = {
    ...{ deps, shared, run, renewing, unanswered: 0 },
    ...{ underWay: createTaskGroup(underWayMax), calls: createTaskGroup(callsOfAccountMax) },
  };
  const due = await sumDue(deps.database, renewing);
  run.progress.expect(due.reduce((sum, { count }) => sum + count, 0));
  if (due.length === 0) return;
  try {
    await chargeBatches(step);
  } finally {
    await step.underWay.idle();
  }
  step.underWay.throwFailure();
  if (step.unanswered >= unansweredMax) {
    deps.logger.error({ accountId, runId, unanswered: step.unanswered }, 'the payment processor gives no answers');
    counts.problems.push({ code: 'account_failed', detail: unansweredDetail });
  }
}

/** The next batch is claimed while this one is sent, so that no call waits for a statement. */
async function chargeBatches(step: Step): Promise<void> {
  let coming = nextBatch(step, null);
  while (true) {
    const batch = await coming;
    if (batch === null) return;
    coming = nextBatch(step, batch.last);
    try {
      for (const payment of batch.payments) {
        if (mustStop(step)) break;
        await begin(step, payment);
      }
    } finally {
      // What it claimed meanwhile is looked up later; its own failure is thrown by the next round.
      coming.catch(() => undefined);
    }
  }
}

const mustStop = ({ run, underWay, unanswered }: Step): boolean =>
  run.isClosing() || underWay.failed || unanswered >= unansweredMax;

interface Batch {
  /** Written and to be sent. */
  readonly payments: readonly Payment[];
  readonly last: DueCursor;
}

/** Reads and claims a page of what is due; null when there is no more, or when the run must stop. */
async function nextBatch(step: Step, after: DueCursor | null): Promise<Batch | null> {
  if (mustStop(step)) return null;
  const { deps, renewing } = step;
  const page = await readDue(deps.database, renewing, { after, limit: batchMax });
  const last = page.at(-1);
  if (last === undefined) return null;
  const without = page.filter(needsNoPayment);
  const charged = page.filter((due) => !needsNoPayment(due));
  const ended = await renewWithoutPayment(deps, renewing, without);
  step.run.progress.done(ended);
  if (ended > 0) deps.wakeRelay();
  return { payments: await claim(step, charged), last };
}

async function claim({ deps, renewing }: Step, due: readonly DueSubscription[]): Promise<Payment[]> {
  const { processor } = await deps.processors.chosen(renewing.accountId, renewing.test);
  return await claimRenewals(deps.database, renewing, due, processor.name, deps.clock.nowMs());
}

/** Resolves when its call has begun, so that no more than two batches are claimed and not sent. */
async function begin(step: Step, payment: Payment): Promise<void> {
  const answer = Promise.withResolvers<PaymentChange | undefined>();
  await step.underWay.begin(() => charge(step, payment, answer.promise));
  // Its place is free for the next call while the answer is recorded.
  await step.calls.begin(() => ask(step, payment).then(answer.resolve, answer.reject));
}

const about = { requestId: null, charges: [] };

/** Undefined: the run stopped before its turn came. */
async function ask(step: Step, payment: Payment): Promise<PaymentChange | undefined> {
  return await step.shared.run(async () => {
    if (mustStop(step)) return undefined;
    const change = await askProcessor(step.deps, payment, about);
    step.unanswered = change.payment.status === 'unknown' ? step.unanswered + 1 : 0;
    return change;
  });
}

/** One payment's fault keeps no other from its turn; an outage ends the step. */
async function charge(step: Step, payment: Payment, answer: Promise<PaymentChange | undefined>): Promise<void> {
  const { deps, run } = step;
  try {
    await deps.calls.during(payment.id, async () => {
      const change = await answer;
      if (change === undefined) return;
      await recordAnswer(deps, payment, change, about);
      run.progress.done(1);
    });
  } catch (err) {
    if (isOutage(err)) throw err;
    deps.logger.error({ err, ...named(payment) }, 'a renewal could not be charged; the processor will be asked');
  }
}
