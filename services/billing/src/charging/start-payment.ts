import { idTimeMs } from '@app/contracts/ids';
import type { PaymentOutcome } from '@app/contracts/payments';
import { refuseLate } from '@app/messaging/request-headers';
import { giveUpPayment } from './give-up-payment.ts';
import { lookUpGivenUp } from './given-up-attempts.ts';
import { newAttempt, type StartInput } from './new-attempt.ts';
import { decideStart, otherPayment, paymentOutcomeOf } from './payment.rules.ts';
import type { Attempt, Payment } from './payment.types.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { readMoney } from './payment-store.ts';
import { sendUnlessFound } from './send-unless-found.ts';

/** Whose request it is; `requestId` is null where billing goes on by itself. */
export interface Caller {
  readonly accountId: string;
  readonly requestId: string | null;
  /** Until when it waits for what is to be begun, in milliseconds since the epoch; left out where billing goes on by itself. */
  readonly deadlineMs?: number;
}

/** More than two replicas need that change the order at once: a payment is given up once, and its row read again once. */
const roundsMax = 4;

/** How an attempt is made that its order lets be made: `startPayment` sends it, and `lookUpAttempt` looks for it at the processor. */
interface Making {
  /** Its row, which is written before the call. */
  row(): Promise<Payment>;
  /** @returns the payment as it stands after its call */
  call(written: Payment): Promise<Payment>;
}

/** See the contract: charges or holds, once for each attempt, and once for the order when it succeeds. */
export async function startPayment(deps: PaymentDeps, caller: Caller, input: StartInput): Promise<PaymentOutcome> {
  return await makeAttempt(deps, caller, input, {
    row: () => newAttempt(deps, caller.accountId, input),
    call: (written) => {
      const isFirst = !deps.restored.mayHaveSent(Date.parse(input.begunAt));
      return sendUnlessFound(deps, written, { requestId: caller.requestId, isFirst }, idTimeMs(input.orderId));
    },
  });
}

/**
 * Makes an attempt unless it was made, or another one of its order stands in its way.
 * @returns the outcome of the one that counts
 * @throws DomainError service_unavailable where its caller may have given up before its row was written
 */
export async function makeAttempt(
  deps: PaymentDeps,
  caller: Caller,
  attempt: Attempt,
  making: Making,
): Promise<PaymentOutcome> {
  const { orderId, attemptNo } = attempt;
  let last: Payment | undefined;
  for (let round = 0; round < roundsMax; round += 1) {
    const waitsFor = attemptNo > 1 ? await lookUpEarlier(deps, caller, attempt) : undefined;
    const payment = await making.row();
    refuseLate(caller);
    const writtenOrEarlier = waitsFor ?? (await deps.attemptWriter.add(payment));
    if (writtenOrEarlier === 'written') return paymentOutcomeOf(await making.call(payment));
    const decision = decideStart(writtenOrEarlier, attemptNo);
    // It was written by another replica after this statement began, so the next one sees it.
    if (decision.kind === 'charge') continue;
    last = decision.of;
    if (decision.kind === 'outcome') return outcomeForAttempt(last, attemptNo);
    const { payment: ended, ending } = await giveUpPayment(deps, last, caller.requestId);
    if (ending) return { ...paymentOutcomeOf(ended), status: 'processing', action: null };
    if (ended.status !== 'declined') return paymentOutcomeOf(ended);
    last = ended;
  }
  if (last === undefined) throw new Error(`the payment of order ${orderId} was neither written nor found`);
  return paymentOutcomeOf(last);
}

/**
 * No attempt is charged beside an earlier one that the processor may have: neither one that was given up, nor one that is not recorded
 * here.
 * @returns the order's attempts where this one waits for the end of one of them
 */
async function lookUpEarlier(
  deps: PaymentDeps,
  { accountId, requestId }: Caller,
  attempt: Attempt,
): Promise<readonly Payment[] | undefined> {
  const { payments } = await readMoney(deps.database, accountId, attempt.orderId);
  const tried = payments.filter(({ step }) => step === 'main');
  if (!tried.some(({ status }) => status === 'succeeded')) await lookUpGivenUp(deps, tried, requestId);
  return await deps.restored.lookUpLostAttempts(accountId, attempt, tried, requestId);
}

/** The outcome, for this attempt: every attempt after one under whose key the processor has another payment ends as that one did. */
function outcomeForAttempt(payment: Payment, attemptNo: number): PaymentOutcome {
  const outcome = paymentOutcomeOf(payment);
  return payment.declineReason === otherPayment ? { ...outcome, attemptNo } : outcome;
}
