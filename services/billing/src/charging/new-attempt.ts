import { emailKey } from '@app/contracts/email-key';
import type { CardRequest, PaymentRequest } from '../processors/port.ts';
import { UnusableProcessorError } from '../processors/processor-registry.ts';
import { lostFrom, unanswered } from './payment.rules.ts';
import type { Attempt, Payment } from './payment.types.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { buyersPaymentKey } from './payment-key.ts';

type FirstSent = NonNullable<CardRequest['firstSent']>;

/** An attempt of a buyer to pay, as it is sent. */
export interface StartInput extends Attempt {
  /** The processor's token for the buyer's card. */
  readonly paymentMethod: string;
}

/**
 * Written as `sent`: the call follows at once, and the first look-up is made when it can say that the payment was lost.
 * @param sentFromMs when its key was first sent at the earliest
 */
export async function newAttempt(
  { clock, processors, processorCalls }: PaymentDeps,
  accountId: string,
  input: StartInput,
  sentFromMs = Date.parse(input.begunAt),
): Promise<Payment> {
  const { orderId, attemptNo, amountCents, currency, hold, customerEmail, productName, test } = input;
  const { processor, statementSuffix } = await processors
    .chosen(accountId, test)
    .then(({ processor: { name }, ...of }) => ({ processor: name, statementSuffix: of.statementSuffix }), unusable);
  const nowMs = clock.nowMs();
  const id = buyersPaymentKey(accountId, orderId, attemptNo);
  return {
    ...unanswered,
    ...requestOf(id, input, firstSentOf(sentFromMs, nowMs), statementSuffix),
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
    sentAt: new Date(nowMs),
    nextCheckAt: lostFrom(nowMs, processorCalls.deadlineMs),
  };
}

/** The attempt is written all the same: its end says why nothing was sent. */
function unusable(err: unknown): { readonly processor: string; readonly statementSuffix?: string } {
  if (err instanceof UnusableProcessorError) return { processor: err.processorName };
  throw err;
}

function requestOf(
  paymentId: string,
  input: StartInput,
  firstSent: FirstSent,
  statementSuffix?: string,
): PaymentRequest {
  const { orderId, amountCents, currency, paymentMethod, customerEmail, returnUrl, hold } = input;
  const { savesCard, confirmsByScript } = input;
  const words = {
    description: input.productName,
    ...(input.customerName && { customerName: input.customerName }),
    ...(statementSuffix !== undefined && { statementSuffix }),
  };
  const how = { savesCard, ...(confirmsByScript && { confirmsByScript }) };
  const card = { paymentMethod, customerEmail, returnUrl, firstSent, ...how };
  const request = { paymentId, orderId, amountCents, currency, ...card, ...words };
  return { call: hold === null ? 'charge' : 'authorize', request };
}

/** The row may be newer than what was sent under its key. */
const firstSentOf = (sentFromMs: number, nowMs: number): FirstSent => ({
  from: new Date(Math.min(nowMs, sentFromMs)).toISOString(),
  to: new Date(nowMs).toISOString(),
});
