import { isOutage } from '@app/service-kit/outages';
import { createSemaphore, type Semaphore } from '@app/service-kit/semaphore';
import type { DailyCounts } from '../daily-runs/daily-counts.rules.ts';
import type { AccountRun, DailyStep } from '../daily-runs/daily-step.ts';
import type { Payment } from '../payments/payment.types.ts';
import type { PaymentChange } from '../payments/payment-change.rules.ts';
import type { PaymentDeps } from '../payments/payment-deps.ts';
import { askProcessor, logFieldsOf, recordAnswer } from '../payments/send-payment.ts';
import { type ChargeScope, claimRenewals } from './claim-renewals.ts';
import { type DueCursor, type DueSubscription, readDue, sumDue } from './due-subscriptions.ts';
import { needsNoPayment, renewWithoutPayment } from './renew-without-payment.ts';
import { createTaskGroup, type TaskGroup } from './task-group.ts';

/**
 * Claimed and not sent, or read ahead, are two batches at most, with 64 calls at once. With the default deadline of 8 s a
 * batch is sent within 32 s, before the first look-up of its payments; with a longer one a look-up may send a payment
 * first, under the same key.
 */
const batchMax = 256;
/** Calls of one account's processor at once: with 50 ms each, some 1,200 a second. */
const callsOfAccountMax = 64;
/** Of all accounts together. Each waits with so many at most, so that accounts take turns. */
const callsMax = 128;
/** Payments of one account between claim and record: an answer that waits to be recorded with others keeps no call waiting. */
const paymentsOfAccountMax = 256;
/** A processor that leaves so many in a row without an answer is not troubled any further by this run. */
const unansweredMax = 64;
const unansweredDetail =
  'The payment processor gave no answers any more, so the rest of what is due was left to the next run.';

/**
 * The step that charges what is due: renewals and retries, one period at most for each subscription. Every payment is
 * written before its call. What a process that died had sent, or was about to, is looked up by the payments loop. Their
 * outcomes are counted by `takeRenewalCounts`.
 */
export function renewDue(deps: PaymentDeps): DailyStep {
  const shared = createSemaphore(callsMax);
  return async (_, run, counts) => await renewOfAccount(deps, shared, run, counts);
}

/** The charging of one account: what the functions of this file share. */
interface Charging {
  readonly deps: PaymentDeps;
  readonly shared: Semaphore;
  readonly run: AccountRun;
  readonly scope: ChargeScope;
  readonly paymentSlots: TaskGroup;
  readonly callSlots: TaskGroup;
  /** Payments in a row whose outcome nobody knows. */
  unanswered: number;
}

async function renewOfAccount(
  deps: PaymentDeps,
  shared: Semaphore,
  run: AccountRun,
  counts: DailyCounts,
): Promise<void> {
  const { accountId, runId, test, renewedByLookUp, forced } = run;
  const scope = { accountId, runId, test, renewedByLookUp, now: run.now(), ...(forced && { forced }) };
  const charging: Charging = {
    ...{ deps, shared, run, scope, unanswered: 0 },
    ...{ paymentSlots: createTaskGroup(paymentsOfAccountMax), callSlots: createTaskGroup(callsOfAccountMax) },
  };
  const due = await sumDue(deps.database, scope);
  run.progress.expect(due.reduce((sum, { count }) => sum + count, 0));
  if (due.length === 0) return;
  try {
    await chargeBatches(charging);
  } finally {
    await charging.paymentSlots.idle();
  }
  charging.paymentSlots.throwFailure();
  if (charging.unanswered >= unansweredMax) {
    deps.logger.error({ accountId, runId, unanswered: charging.unanswered }, 'the payment processor gives no answers');
    counts.problems.push({ code: 'account_failed', detail: unansweredDetail });
  }
}

/** The next batch is claimed while this one is sent, so that no call waits for a statement. */
async function chargeBatches(charging: Charging): Promise<void> {
  let coming = nextBatch(charging, null);
  while (true) {
    const batch = await coming;
    if (batch === null) return;
    coming = nextBatch(charging, batch.last);
    try {
      for (const payment of batch.payments) {
        if (mustStop(charging)) break;
        await beginCharge(charging, payment);
      }
    } finally {
      // What it claimed meanwhile is looked up later; its own failure is thrown by the next round.
      coming.catch(() => undefined);
    }
  }
}

const mustStop = ({ run, paymentSlots, unanswered }: Charging): boolean =>
  run.isClosing() || paymentSlots.failed || unanswered >= unansweredMax;

interface Batch {
  /** Written and to be sent. */
  readonly payments: readonly Payment[];
  readonly last: DueCursor;
}

/** Reads and claims a page of what is due; null when there is no more, or when the run must stop. */
async function nextBatch(charging: Charging, after: DueCursor | null): Promise<Batch | null> {
  if (mustStop(charging)) return null;
  const { deps, scope } = charging;
  const page = await readDue(deps.database, scope, { after, limit: batchMax });
  const last = page.at(-1);
  if (last === undefined) return null;
  const without = page.filter(needsNoPayment);
  const charged = page.filter((due) => !needsNoPayment(due));
  const renewed = await renewWithoutPayment(deps, scope, without);
  charging.run.progress.done(renewed);
  if (renewed > 0) deps.wakeRelay();
  return { payments: await claim(charging, charged), last };
}

async function claim({ deps, scope }: Charging, due: readonly DueSubscription[]): Promise<Payment[]> {
  const { processor } = await deps.processors.chosen(scope.accountId, scope.test);
  return await claimRenewals(deps.database, scope, due, processor.name, deps.clock.nowMs());
}

/** Resolves when its call has begun, so that no more than two batches are claimed and not sent. */
async function beginCharge(charging: Charging, payment: Payment): Promise<void> {
  const answer = Promise.withResolvers<PaymentChange | undefined>();
  await charging.paymentSlots.begin(() => recordWhenAnswered(charging, payment, answer.promise));
  // Its place is free for the next call while the answer is recorded.
  await charging.callSlots.begin(() => chargeWhenAllowed(charging, payment).then(answer.resolve, answer.reject));
}

const answerContext = { requestId: null, charges: [] };

/** Undefined: the run stopped before its turn came. */
async function chargeWhenAllowed(charging: Charging, payment: Payment): Promise<PaymentChange | undefined> {
  return await charging.shared.run(async () => {
    if (mustStop(charging)) return undefined;
    const change = await askProcessor(charging.deps, payment, answerContext);
    charging.unanswered = change.payment.status === 'unknown' ? charging.unanswered + 1 : 0;
    return change;
  });
}

/** One payment's fault keeps no other from its turn; an outage ends the step. */
async function recordWhenAnswered(
  charging: Charging,
  payment: Payment,
  answer: Promise<PaymentChange | undefined>,
): Promise<void> {
  const { deps, run } = charging;
  try {
    await deps.processorCalls.during(payment.id, async () => {
      const change = await answer;
      if (change === undefined) return;
      await recordAnswer(deps, payment, change, answerContext);
      run.progress.done(1);
    });
  } catch (err) {
    if (isOutage(err)) throw err;
    deps.logger.error({ err, ...logFieldsOf(payment) }, 'a renewal could not be charged; the processor will be asked');
  }
}
