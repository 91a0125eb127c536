import type { RequestOutput } from '@app/contracts/define';
import type { refundCharges } from '@app/contracts/payments';
import { hasEnded, openPayment } from '../payments/payment.rules.ts';
import type { Charge, OrderMoney, Payment } from '../payments/payment.types.ts';
import { refundsOf } from '../payments/refunded-parts.rules.ts';

export type RefundResult = RequestOutput<typeof refundCharges>;

/** Charges are given back one after the other, the oldest first and the order's own before its renewals'. */
export type RefundStep =
  | { readonly kind: 'send'; readonly charge: Charge; readonly tryNo: number }
  | { readonly kind: 'end'; readonly result: RefundResult };

/**
 * What comes next of the refund that was requested of an order: charges that it marked go back whole.
 * @param renewals whether those of the renewals were requested too
 */
export function nextRefundStep(money: OrderMoney, renewals: boolean): RefundStep {
  const wanted = renewals ? [...money.charges, ...money.renewals] : money.charges;
  const renewalUnderWay = money.payments.some((payment) => payment.step === 'renewal' && !hasEnded(payment));
  const end = (status: RefundResult['status'], detail: string | null = null): Extract<RefundStep, { kind: 'end' }> => ({
    kind: 'end',
    result: { ...resultOf(money, wanted, status, detail), ...(renewalUnderWay && { renewalUnderWay }) },
  });
  const waitsFor = openPayment(money.payments);
  // A renewal keeps back what is to be refunded, and nothing is: the order has no charges, or they went back before.
  if (waitsFor?.step === 'renewal' && !renewals && money.charges.every((charge) => restOf(charge) === 0))
    return end('refunded');
  if (waitsFor !== undefined) {
    const waiting = end('processing');
    // An order without charges is refunded when its last renewal can be: until then checkout requests it again.
    return renewals && renewalUnderWay && money.charges.length === 0
      ? { ...waiting, result: { ...waiting.result, orderRefunded: false } }
      : waiting;
  }
  const open = [...money.charges, ...money.renewals].filter((charge) => restOf(charge) > 0);
  const [charge] = open.filter(({ refund_due_at }) => refund_due_at !== null);
  if (charge === undefined) {
    const refused = open.find(({ id }) => wanted.some((each) => each.id === id));
    return refused === undefined ? end('refunded') : end('failed', lastRefusal(money, refused));
  }
  const tried = attemptsOf(money, charge);
  const last = tried.at(-1);
  if (last?.status === 'declined' && last.try_no >= (charge.refund_from_try ?? 1))
    return end('failed', last.decline_message);
  return { kind: 'send', charge, tryNo: tried.length + 1 };
}

export const restOf = ({ amount_cents, refunded_cents }: Charge): number => amount_cents - refunded_cents;

/** Attempts to give back the charge, oldest first. */
export const attemptsOf = ({ payments }: OrderMoney, charge: Charge): Payment[] =>
  payments
    .filter(({ step, subject }) => step === 'refund' && subject === charge.id)
    .toSorted((a, b) => a.try_no - b.try_no);

const lastRefusal = (money: OrderMoney, charge: Charge): string | null =>
  attemptsOf(money, charge).findLast(({ status }) => status === 'declined')?.decline_message ?? null;

function resultOf(
  money: OrderMoney,
  wanted: readonly Charge[],
  status: RefundResult['status'],
  detail: string | null,
): RefundResult {
  const refundedCents = wanted.reduce((sum, { refunded_cents }) => sum + refunded_cents, 0);
  const orderRefunded = money.charges.every((charge) => restOf(charge) === 0);
  return { status, refundedCents, detail, orderRefunded, refunds: refundsOf(money) };
}
