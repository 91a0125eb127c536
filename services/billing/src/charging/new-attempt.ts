import type { RequestInput } from '@app/contracts/define';
import { emailKey } from '@app/contracts/email-key';
import { idTimeMs } from '@app/contracts/ids';
import type { startPayment } from '@app/contracts/payments';
import type { CardRequest, PaymentRequest } from '../processors/port.ts';
import { UnusableProcessorError } from '../processors/processor-registry.ts';
import { lostFrom, unanswered } from './payment.rules.ts';
import type { Payment } from './payment.types.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { buyersPaymentKey } from './payment-key.ts';

type FirstSent = NonNullable<CardRequest['firstSent']>;

/** An attempt of a buyer to pay, as checkout requests it. */
export type StartInput = RequestInput<typeof startPayment>;

/**
 * Written as `sent`: the call follows at once, and the first look-up is made when it can say that the payment was lost. One that
 * is only looked up was sent when it began, if it was.
 */
export async function newAttempt(
  { clock, processors, processorCalls }: PaymentDeps,
  accountId: string,
  input: StartInput,
): Promise<Payment> {
  const { orderId, attemptNo, amountCents, currency, hold, customerEmail, productName, test, begunAt } = input;
  const { processor, statementSuffix } = await processors
    .chosen(accountId, test)
    .then(({ processor: { name }, ...of }) => ({ processor: name, statementSuffix: of.statementSuffix }), unusable);
  const nowMs = clock.nowMs();
  const sentMs = input.paymentMethod === null ? Date.parse(begunAt) : nowMs;
  const id = buyersPaymentKey(accountId, orderId, attemptNo);
  return {
    ...unanswered,
    ...requestOf(id, input, firstSentOf(input, nowMs), statementSuffix),
    id,
    accountId,
    orderId,
    step: 'main',
    chargeId: null,
    releasedPaymentId: null,
    period: null,
    attemptNo,
    holdTerms: hold,
    amountCents,
    currency,
    processor,
    customerEmail,
    emailKey: emailKey(customerEmail),
    productName,
    test,
    createdAt: new Date(nowMs),
    sentAt: new Date(sentMs),
    nextCheckAt: lostFrom(nowMs, processorCalls.deadlineMs),
  };
}

/** The attempt is written all the same: its end says why nothing was sent. */
function unusable(err: unknown): { readonly processor: string; readonly statementSuffix?: string } {
  if (err instanceof UnusableProcessorError) return { processor: err.processorName };
  throw err;
}

/** The card of what is only looked up is not known, and is not requested. */
function requestOf(
  paymentId: string,
  input: StartInput,
  firstSent: FirstSent,
  statementSuffix?: string,
): PaymentRequest {
  const { orderId, amountCents, currency, customerEmail, returnUrl, hold, savesCard, confirmsByScript } = input;
  const words = {
    description: input.productName,
    ...(input.customerName && { customerName: input.customerName }),
    ...(statementSuffix !== undefined && { statementSuffix }),
  };
  const paymentMethod = input.paymentMethod ?? '';
  const how = { savesCard, ...(confirmsByScript && { confirmsByScript }) };
  const card = { paymentMethod, customerEmail, returnUrl, firstSent, ...how };
  const request = { paymentId, orderId, amountCents, currency, ...card, ...words };
  return { call: hold === null ? 'charge' : 'authorize', request };
}

/**
 * A database that a backup has replaced may have sent the attempt since it began. One that is only looked up may be an earlier one
 * than the request says: it was sent for the order, and before now.
 */
function firstSentOf({ orderId, paymentMethod, begunAt }: StartInput, nowMs: number): FirstSent {
  const fromMs = Math.min(nowMs, paymentMethod === null ? idTimeMs(orderId) : Date.parse(begunAt));
  return { from: new Date(fromMs).toISOString(), to: new Date(nowMs).toISOString() };
}
