import { idTimeMs } from '@app/contracts/ids';
import type { PaymentOutcome } from '@app/contracts/payments';
import { giveUpPayment } from './give-up-payment.ts';
import { lookUpGivenUp } from './given-up-attempts.ts';
import { lookUpPayment, paymentAfter } from './look-up-payment.ts';
import { newAttempt, type StartInput } from './new-attempt.ts';
import { decideStart, otherPayment, paymentOutcomeOf } from './payment.rules.ts';
import type { Payment } from './payment.types.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { readMoney } from './payment-store.ts';
import { sendUnlessFound } from './send-unless-found.ts';

/** Whose request it is; `requestId` is null where billing goes on by itself. */
export interface Caller {
  readonly accountId: string;
  readonly requestId: string | null;
}

/** More than two replicas need that change the order at once: a payment is given up once, and its row read again once. */
const roundsMax = 4;

/** See the contract: charges or holds, once for each attempt, and once for the order when it succeeds. */
export async function startPayment(deps: PaymentDeps, caller: Caller, input: StartInput): Promise<PaymentOutcome> {
  const { accountId, requestId } = caller;
  let last: Payment | undefined;
  for (let round = 0; round < roundsMax; round += 1) {
    const waitsFor = input.attemptNo > 1 ? await lookUpEarlier(deps, caller, input) : undefined;
    const payment = await newAttempt(deps, accountId, input);
    const writtenOrEarlier = waitsFor ?? (await deps.attemptWriter.add(payment));
    if (writtenOrEarlier === 'written') return paymentOutcomeOf(await makeAttempt(deps, requestId, input, payment));
    const decision = decideStart(writtenOrEarlier, input.attemptNo);
    // It was written by another replica after this statement began, so the next one sees it.
    if (decision.kind === 'charge') continue;
    last = decision.of;
    if (decision.kind === 'outcome') return outcomeForAttempt(last, input.attemptNo);
    const { payment: ended, ending } = await giveUpPayment(deps, last, requestId);
    if (ending) return { ...paymentOutcomeOf(ended), status: 'processing', action: null };
    if (ended.status !== 'declined') return paymentOutcomeOf(ended);
    last = ended;
  }
  if (last === undefined) throw new Error(`the payment of order ${input.orderId} was neither written nor found`);
  return paymentOutcomeOf(last);
}

/**
 * No attempt is charged beside an earlier one that the processor may have: neither one that was given up, nor one that this database
 * lacks.
 * @returns the order's attempts where this one waits for the end of one of them
 */
async function lookUpEarlier(
  deps: PaymentDeps,
  { accountId, requestId }: Caller,
  input: StartInput,
): Promise<readonly Payment[] | undefined> {
  const { payments } = await readMoney(deps.database, accountId, input.orderId);
  const tried = payments.filter(({ step }) => step === 'main');
  if (!tried.some(({ status }) => status === 'succeeded')) await lookUpGivenUp(deps, tried, requestId);
  return await deps.restored.lookUpLostAttempts(accountId, input, tried, requestId);
}

/** The call of an attempt whose row was written; without a card it is a look-up, and nothing is sent. */
async function makeAttempt(
  deps: PaymentDeps,
  requestId: Caller['requestId'],
  input: StartInput,
  payment: Payment,
): Promise<Payment> {
  const context = { requestId, isFirst: true, mayHaveArrived: mayHaveBeenSent(deps, input) };
  if (input.paymentMethod === null) return paymentAfter(payment, await lookUpPayment(deps, payment, context));
  return await sendUnlessFound(deps, payment, context, idTimeMs(input.orderId));
}

/** The outcome, for this attempt: every attempt after one under whose key the processor has another payment ends as that one did. */
function outcomeForAttempt(payment: Payment, attemptNo: number): PaymentOutcome {
  const outcome = paymentOutcomeOf(payment);
  return payment.declineReason === otherPayment ? { ...outcome, attemptNo } : outcome;
}

/**
 * Whether a database that a backup has replaced may have sent the attempt: it began longer ago than a request takes, and here is
 * no row of it.
 */
const mayHaveBeenSent = ({ clock, processorCalls }: PaymentDeps, { begunAt }: StartInput): boolean =>
  clock.nowMs() - Date.parse(begunAt) >= processorCalls.deadlineMs;
