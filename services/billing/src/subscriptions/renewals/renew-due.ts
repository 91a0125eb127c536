import { readSettingsOf } from '@app/account-settings/read-settings';
import { isOutage } from '@app/service-kit/outages';
import { createSemaphore, type Semaphore } from '@app/service-kit/semaphore';
import type { Answered } from '../../charging/decide-answer.rules.ts';
import type { Payment } from '../../charging/payment.types.ts';
import type { PaymentDeps } from '../../charging/payment-deps.ts';
import { notifyNotReceived } from '../../charging/payment-notices.ts';
import { type RecordContext, recordAnswer } from '../../charging/record-answer.ts';
import { callProcessor, logFieldsOf } from '../../charging/send-payment.ts';
import { lookUpThenCall } from '../../charging/send-unless-found.ts';
import { renewalsRead } from '../../points/points.ts';
import { chosenName } from '../../processors/processor-registry.ts';
import type { DailyCounts } from '../../runs/daily-counts.rules.ts';
import type { AccountRun, DailyStep } from '../../runs/daily-step.ts';
import { mustEnd, untilRefused } from '../../runs/refused-key.ts';
import { type ClaimedRenewal, type ClaimRenewal, createClaimRenewal } from './claim-renewals.ts';
import {
  type ChargeScope,
  type DueCursor,
  type DueSubscription,
  type PayableSubscription,
  readDue,
  sumDue,
} from './due-subscriptions.ts';
import { needsNoPayment, renewWithoutPayment } from './renew-without-payment.ts';
import { createTaskGroup, type TaskGroup } from './task-group.ts';

/** Read and not claimed, because their calls may not begin yet, are three pages at most. */
const pageMax = 256;
/**
 * Renewals of one account that wait for their call or its answer: as many as share a claim, and the record of answers. With half of
 * it each renewal takes a seventh longer.
 */
export const callsOfAccountMax = 256;
/** Of all accounts together: of two none waits for the other. */
export const callsMax = 512;
/** Renewals of one account between the wait for their call and their record: an answer that waits to be recorded with others keeps no call waiting. */
const paymentsOfAccountMax = 512;
/**
 * A processor that leaves so many in a row without an answer is not troubled any further by this run. Until it has answered once,
 * no more than so many are sent at a time.
 */
export const unansweredMax = 64;
const unansweredDetail = 'The payment processor took no payments any more. What is still due is left to the next run.';

const unwrittenDetail = (count: number): string =>
  `${count === 1 ? '1 renewal' : `${count} renewals`} could not be begun, and the log says why. The next run tries again.`;

const withoutProcessorText = (count: number): string =>
  `${waiting(count)} until you choose a payment processor (PUT /api/v1/payment-processor).`;
const cardsElsewhereText = (count: number): string =>
  `${waiting(count)} for a new card: their cards are of a payment processor that takes no renewals of yours any more. Ask the buyers to ` +
  'give a card in the portal, or cancel the subscriptions.';
const waiting = (count: number): string => (count === 1 ? '1 renewal waits' : `${count} renewals wait`);

/**
 * The step that charges what is due: renewals and retries, one period at most for each subscription and UTC day. Every payment is
 * written right before its call, if it is wanted then. What a process that died had sent, or was about to, is looked up by the
 * payments loop. Their outcomes are counted by `takeRenewalCounts`.
 */
export function renewDue(deps: PaymentDeps): DailyStep {
  const callsOfAll = createSemaphore(callsMax);
  return async (_, run, counts) => await renewOfAccount(untilRefused(deps, run), callsOfAll, run, counts);
}

/** The charging of one account: what the functions of this file share. */
interface Charging {
  readonly deps: PaymentDeps;
  /** Calls of all accounts, of this process. */
  readonly callsOfAll: Semaphore;
  readonly run: AccountRun;
  readonly scope: ChargeScope;
  readonly claimRenewal: ClaimRenewal;
  readonly paymentSlots: TaskGroup;
  readonly callSlots: TaskGroup;
  /** Calls of each processor that limits the rate. */
  readonly callsOf: Map<string, Semaphore>;
  /** Whether a payment has had an answer. */
  answered: boolean;
  /** Payments in a row whose outcome is unknown, with which the processor did nothing, or that could not be claimed. */
  unanswered: number;
  /** Renewals that could not be begun, as their rows could not be written. */
  unwritten: number;
  /** These were too many, whatever is answered afterwards. */
  gaveUp: boolean;
  /** Renewals that wait until the account has chosen a processor. */
  withoutProcessor: number;
  /** Renewals that wait for a card at the processor that the account has chosen. */
  cardsElsewhere: number;
}

async function renewOfAccount(
  deps: PaymentDeps,
  callsOfAll: Semaphore,
  run: AccountRun,
  counts: DailyCounts,
): Promise<void> {
  const { accountId, runId, test, only, confirmation, notCharged, cutOffs } = run;
  const about = { accountId, runId, test, ...(only !== undefined && { only }), ...(confirmation && { confirmation }) };
  const dueScope = { ...about, notCharged, now: run.now(), ...(cutOffs && { cutOffs }) };
  const due = await sumDue(deps.database, dueScope);
  run.progress.expect(due.reduce((sum, { count }) => sum + count, 0));
  if (due.length === 0) return;
  const { statementSuffix } = await readSettingsOf(deps.database.pool, accountId);
  const scope = { ...dueScope, ...(statementSuffix !== null && { statementSuffix }) };
  const charging: Charging = {
    deps,
    callsOfAll,
    run,
    scope,
    claimRenewal: createClaimRenewal(deps, scope, callsOfAccountMax),
    paymentSlots: createTaskGroup(paymentsOfAccountMax),
    callSlots: createTaskGroup(callsOfAccountMax),
    callsOf: new Map(),
    answered: false,
    unanswered: 0,
    unwritten: 0,
    gaveUp: false,
    withoutProcessor: 0,
    cardsElsewhere: 0,
  };
  try {
    await chargePages(charging);
  } finally {
    await charging.paymentSlots.idle();
  }
  charging.paymentSlots.throwFailure();
  if (charging.unwritten > 0) {
    counts.problems.push({ code: 'account_failed', detail: unwrittenDetail(charging.unwritten) });
  }
  if (charging.withoutProcessor > 0) {
    counts.problems.push({ code: 'no_payment_processor', detail: withoutProcessorText(charging.withoutProcessor) });
  }
  if (charging.cardsElsewhere > 0) {
    counts.problems.push({ code: 'new_cards_needed', detail: cardsElsewhereText(charging.cardsElsewhere) });
  }
  if (charging.gaveUp && !mustEnd(run)) {
    deps.logger.error({ accountId, runId }, 'the payment processor does not answer');
    counts.problems.push({ code: 'account_failed', detail: unansweredDetail });
  }
}

/** The next page is read while this one is sent, so that no call waits for a statement. */
async function chargePages(charging: Charging): Promise<void> {
  let begunCount = 0;
  let coming = nextPage(charging, null);
  while (true) {
    const page = await coming;
    if (page === null) return;
    coming = nextPage(charging, page.last);
    // Its failure is thrown by the next round.
    coming.catch(() => undefined);
    for (const due of page.due) {
      if (mustStop(charging)) break;
      await beginCharge(charging, due);
      begunCount += 1;
      if (!charging.answered && begunCount % unansweredMax === 0) await charging.callSlots.idle();
    }
  }
}

const mustStop = ({ run, paymentSlots, gaveUp }: Charging): boolean =>
  mustEnd(run) || run.keyRefusal.mayNotCharge || paymentSlots.failed || gaveUp;

interface Page {
  /** Each needs a payment. */
  readonly due: readonly PayableSubscription[];
  readonly last: DueCursor;
}

/**
 * Reads a page of what is due, and ends at once what needs no call: periods that cost nothing are paid, and attempts on cards that are lost,
 * stolen or expired have failed; null when there is no more, or when the run must stop.
 */
async function nextPage(charging: Charging, after: DueCursor | null): Promise<Page | null> {
  if (mustStop(charging)) return null;
  const { deps, scope } = charging;
  const page = await readDue(deps.database, scope, { after, limit: pageMax });
  const last = page.at(-1);
  if (last === undefined) return null;
  const unpaid = page.filter(needsNoPayment);
  const ended = await renewWithoutPayment(deps, scope, unpaid);
  for (const [index, result] of ended.entries()) {
    if (!result.ok) leaveFaulty(charging, unpaid[index] as DueSubscription, result.error);
  }
  const renewed = ended.filter((result) => result.ok && result.value).length;
  charging.run.progress.done(renewed);
  if (renewed > 0) deps.wakeRelay();
  const due = await withProcessor(
    charging,
    page.filter((each) => !needsNoPayment(each)),
  );
  renewalsRead.announce(() => ({ accountId: scope.accountId, runId: scope.runId }));
  return { due, last };
}

/** Those that wait until the account has chosen a processor, or for a card at it, are counted, and left out. */
async function withProcessor(charging: Charging, due: readonly DueSubscription[]): Promise<PayableSubscription[]> {
  const { deps, scope } = charging;
  const chosen = await chosenName(deps.processors, scope.accountId, scope.test);
  const sent: PayableSubscription[] = [];
  for (const each of due) {
    const processor = each.processor ?? chosen;
    if (processor === null) charging.withoutProcessor += 1;
    else if (scope.test || (await deps.processors.takesRenewals(processor, scope.accountId)))
      sent.push({ ...each, processor });
    else if (chosen === null) charging.withoutProcessor += 1;
    else charging.cardsElsewhere += 1;
  }
  return sent;
}

/** A claimed payment, and the answer to its call. */
interface Begun {
  readonly payment: Payment;
  readonly answer: Promise<Answered>;
  readonly context: RecordContext;
}

/**
 * Begins two tasks: one claims the renewal and calls the processor, the other records the answer, and gets the payment by
 * `onBegun`. Resolves when both have a slot, so that no more wait than may be sent soon.
 */
async function beginCharge(charging: Charging, due: PayableSubscription): Promise<void> {
  const begun = Promise.withResolvers<Begun | undefined>();
  await charging.paymentSlots.begin(() => recordWhenAnswered(charging, begun.promise));
  // Its slot is free for the next call while the answer is recorded.
  await charging.callSlots.begin(() => callWhenAllowed(charging, due, begun.resolve).catch(begun.reject));
}

/** @param onBegun gets undefined where the run stopped before it was reached, or the renewal is not wanted any more */
async function callWhenAllowed(
  charging: Charging,
  due: PayableSubscription,
  onBegun: (begun: Begun | undefined) => void,
): Promise<void> {
  const charge = async (): Promise<void> => {
    const claimed = mustStop(charging) ? undefined : await claimUnlessFaulty(charging, due);
    if (claimed === undefined) return onBegun(undefined);
    const { payment, resends, refusedBefore } = claimed;
    const context: RecordContext = { requestId: null, isFirst: true, refusedBefore };
    const answer = (resends ? lookUpThenCall : callProcessor)(charging.deps, payment, context);
    onBegun({ payment, answer, context });
    countAnswer(charging, await answer);
  };
  const ofAll = async (): Promise<void> => await charging.callsOfAll.run(charge);
  const ofProcessor = callsOfProcessor(charging, due.processor);
  await (ofProcessor === undefined ? ofAll() : ofProcessor.run(ofAll));
}

/** @returns undefined where it is not claimed */
async function claimUnlessFaulty(charging: Charging, due: PayableSubscription): Promise<ClaimedRenewal | undefined> {
  try {
    return await charging.claimRenewal(due);
  } catch (err) {
    leaveFaulty(charging, due, err);
    countAnswer(charging, { status: 'unknown' });
    return undefined;
  }
}

/** One that cannot be written keeps no other waiting. @throws an outage */
function leaveFaulty(charging: Charging, due: DueSubscription, err: unknown): void {
  if (isOutage(err)) throw err;
  const { deps, scope } = charging;
  deps.logger.error(
    { err, accountId: scope.accountId, orderId: due.order_id },
    'a renewal could not be begun; the next run tries again',
  );
  charging.unwritten += 1;
}

function countAnswer(charging: Charging, { status }: Pick<Answered, 'status'>): void {
  const isAnswer = status !== 'unknown' && status !== 'not_done';
  charging.answered ||= isAnswer;
  charging.unanswered = isAnswer ? 0 : charging.unanswered + 1;
  charging.gaveUp ||= charging.unanswered >= unansweredMax;
}

/** Undefined for a processor that does not limit the rate. */
function callsOfProcessor({ deps, callsOf }: Charging, name: string): Semaphore | undefined {
  const atOnce = deps.processors.renewalsAtOnce(name);
  if (atOnce === undefined) return undefined;
  const calls = callsOf.get(name) ?? createSemaphore(atOnce);
  callsOf.set(name, calls);
  return calls;
}

/** One payment's fault keeps no other waiting; an outage ends the step. */
async function recordWhenAnswered(charging: Charging, whenBegun: Promise<Begun | undefined>): Promise<void> {
  const { deps, run } = charging;
  const begun = await whenBegun;
  if (begun === undefined) return;
  const { payment, answer, context } = begun;
  try {
    await deps.processorCalls.during(payment.id, async () => {
      const outcome = await answer;
      await recordAnswer(deps, payment, outcome, context);
      // Of what the processor refuses its seller is notified once a day, and not of each renewal.
      if (outcome.status === 'not_done' && outcome.why !== 'request_refused') await notifyNotReceived(deps, payment);
      run.progress.done(1);
    });
  } catch (err) {
    if (isOutage(err)) throw err;
    deps.logger.error(
      { err, ...logFieldsOf(payment) },
      'a renewal could not be charged; it will be looked up at the processor',
    );
  }
}
