import type { RequestInput } from '@app/contracts/define';
import { idTimeMs } from '@app/contracts/ids';
import type { startPayment as contract, PaymentOutcome } from '@app/contracts/payments';
import type { PaymentRequest } from '../processors/payment-processor.ts';
import { UnusableProcessorError } from '../processors/processor-registry.ts';
import { giveUpPayment } from './give-up-payment.ts';
import { decideStart, lostFrom, outcomeOf, unanswered } from './payment.rules.ts';
import type { Payment } from './payment.types.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { buyersPaymentKey, keyMayBeForgotten } from './payment-key.ts';
import { sendOnce } from './send-once.ts';

export type StartInput = RequestInput<typeof contract>;

/** Whose request it is; `requestId` is null where billing goes on by itself. */
export interface Caller {
  readonly accountId: string;
  readonly requestId: string | null;
}

/** Other replicas may each be a step ahead: a buyer's payment is given up once, and its row read again once. */
const roundsMax = 4;

/** See the contract: charges or holds, once for each try, and once for the order when it succeeds. */
export async function startPayment(deps: PaymentDeps, caller: Caller, input: StartInput): Promise<PaymentOutcome> {
  let last: Payment | undefined;
  for (let round = 0; round < roundsMax; round += 1) {
    const payment = await newTry(deps, caller.accountId, input);
    const tried = await deps.tries.add(payment);
    if (tried === 'written') {
      const mayBeForgotten = keyMayBeForgotten(idTimeMs(input.orderId), deps.clock.nowMs());
      const context = { requestId: caller.requestId, isFirst: true, mayHaveArrived: mayHaveArrived(deps, input) };
      return outcomeOf(await sendOnce(deps, payment, context, mayBeForgotten));
    }
    const decision = decideStart(tried, input.tryNo);
    // It was written by another replica after this statement began, so the next one sees it.
    if (decision.kind === 'charge') continue;
    last = decision.of;
    if (decision.kind === 'outcome') return outcomeOf(last);
    const { payment: ended, ending } = await giveUpPayment(deps, last, caller.requestId);
    if (ending) return { ...outcomeOf(ended), status: 'processing', action: null };
    if (ended.status !== 'declined') return outcomeOf(ended);
    last = ended;
  }
  if (last === undefined) throw new Error(`the payment of order ${input.orderId} was neither written nor found`);
  return outcomeOf(last);
}

/**
 * Whether a database that a backup has replaced may have sent the attempt: it began longer ago than a request takes, and here is
 * no row of it.
 */
const mayHaveArrived = ({ clock, processorCalls }: PaymentDeps, { begunAt }: StartInput): boolean =>
  begunAt !== undefined && clock.nowMs() - Date.parse(begunAt) >= processorCalls.deadlineMs;

/** Written as `sent`: the call follows at once. The first look-up is made when it can say that the payment was lost. */
async function newTry(
  { clock, processors, processorCalls }: PaymentDeps,
  accountId: string,
  input: StartInput,
): Promise<Payment> {
  const { orderId, tryNo, amountCents, currency, hold, customerEmail, productName, test } = input;
  const processor = await processors.chosen(accountId, test).then(({ processor: { name } }) => name, nameOfUnusable);
  const nowMs = clock.nowMs();
  const id = buyersPaymentKey(accountId, orderId, tryNo);
  return {
    ...unanswered,
    ...requestOf(id, input),
    id,
    account_id: accountId,
    order_id: orderId,
    step: 'main',
    charge_id: null,
    released_payment_id: null,
    period: null,
    try_no: tryNo,
    hold_terms: hold,
    amount_cents: amountCents,
    currency,
    processor,
    customer_email: customerEmail,
    product_name: productName,
    test,
    created_at: new Date(nowMs),
    sent_at: new Date(nowMs),
    next_check_at: lostFrom(nowMs, processorCalls.deadlineMs),
  };
}

/** The try is written all the same: its end says why nothing was sent. */
function nameOfUnusable(err: unknown): string {
  if (err instanceof UnusableProcessorError) return err.processorName;
  throw err;
}

function requestOf(paymentId: string, input: StartInput): PaymentRequest {
  const { orderId, amountCents, currency, paymentMethod, customerEmail, returnUrl, hold } = input;
  const request = { paymentId, orderId, amountCents, currency, paymentMethod, customerEmail, returnUrl };
  return { call: hold === null ? 'charge' : 'authorize', request };
}
