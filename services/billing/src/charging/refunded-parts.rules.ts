import type { RefundedPart } from '@app/contracts/payments';
import type { OrderMoney, Payment } from './payment.types.ts';

/** Every refund of the order's own charges and of its renewals' that stands, oldest first. */
export const refundsOf = (money: OrderMoney): RefundedPart[] =>
  money.payments
    .filter(({ step, status }) => step === 'refund' && status === 'succeeded')
    .map((payment) => refundedPart(money, payment));

type Refund = Pick<Payment, 'id' | 'chargeId' | 'amountCents' | 'finishedAt' | 'createdAt'>;

/** @throws Error for a refund of another order's charge */
export function refundedPart(money: OrderMoney, refund: Refund): RefundedPart {
  const renewal = money.renewals.find(({ id }) => id === refund.chargeId);
  const charge = renewal ?? money.charges.find(({ id }) => id === refund.chargeId);
  if (charge === undefined) throw new Error(`refund ${refund.id} gives back a charge that the order does not have`);
  return {
    refundId: refund.id,
    paymentId: charge.id,
    amountCents: refund.amountCents,
    chargedCents: charge.amountCents,
    subscriptionId: renewal === undefined ? null : money.subscriptionId,
    period: money.payments.find(({ id }) => id === charge.id)?.period ?? null,
    refundedAt: (refund.finishedAt ?? refund.createdAt).toISOString(),
  };
}
