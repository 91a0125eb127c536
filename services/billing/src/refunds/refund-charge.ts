import { beginPayment } from '../charging/attempt-store.ts';
import { lookUpGivenUp } from '../charging/given-up-attempts.ts';
import type { Charge, OrderMoney, Payment } from '../charging/payment.types.ts';
import type { PaymentDeps } from '../charging/payment-deps.ts';
import { sendPayment } from '../charging/send-payment.ts';
import type { Caller } from '../charging/start-payment.ts';
import { attemptsOf } from './refund.rules.ts';

interface PlannedRefund {
  readonly charge: Charge;
  readonly attemptNo: number;
  readonly amountCents: number;
  /** Of the refund, where a repeated command must find it. */
  readonly id?: string;
}

/**
 * Gives back a charge, whole or a part; not beside an earlier refund of it that was given up and that the processor may have got since.
 * @param money as it was read when the refund was decided on
 * @returns the refund as it is recorded then; where nothing was sent, `found` when an earlier one went through after all or is looked
 * up again, and undefined when another caller was faster
 */
export async function refundCharge(
  deps: PaymentDeps,
  { requestId }: Pick<Caller, 'requestId'>,
  money: OrderMoney,
  { charge, attemptNo, amountCents, ...named }: PlannedRefund,
): Promise<Payment | 'found' | undefined> {
  if (await lookUpGivenUp(deps, attemptsOf(money, charge), requestId)) return 'found';
  const { id: chargeId, currency, processor, reference } = charge;
  const begun = await beginPayment(deps, money, {
    step: 'refund',
    chargeId,
    attemptNo,
    amountCents,
    currency,
    processor,
    ...named,
    requestOf: (paymentId) => ({ call: 'refund', request: { paymentId, amountCents, currency, reference } }),
  });
  return begun === undefined ? undefined : await sendPayment(deps, begun, { requestId, money });
}
