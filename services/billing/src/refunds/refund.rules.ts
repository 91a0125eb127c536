import type { RequestOutput } from '@app/contracts/define';
import type { refundCharges } from '@app/contracts/payments';
import { openPayment } from '../payments/payment.rules.ts';
import type { Charge, OrderMoney, Payment } from '../payments/payment.types.ts';

export type RefundResult = RequestOutput<typeof refundCharges>;

/** Charges are given back one after the other, the oldest first. */
export type RefundStep =
  | { readonly kind: 'send'; readonly charge: Charge; readonly tryNo: number }
  | { readonly kind: 'end'; readonly result: RefundResult };

/** @param again whether the charge is tried again although its refund was refused before */
export function nextRefundStep(money: OrderMoney, again: (charge: Charge) => boolean): RefundStep {
  const refundedCents = money.charges.reduce((sum, charge) => sum + charge.refunded_cents, 0);
  const end = (status: RefundResult['status'], detail: string | null = null): RefundStep => ({
    kind: 'end',
    result: { status, refundedCents, detail },
  });
  if (openPayment(money.payments) !== undefined) return end('processing');
  const charge = money.charges.find(({ amount_cents, refunded_cents }) => refunded_cents < amount_cents);
  if (charge === undefined) return end('refunded');
  const tried = refundsOf(money, charge);
  const last = tried.at(-1);
  if (last?.status === 'declined' && !again(charge)) return end('failed', last.decline_message);
  return { kind: 'send', charge, tryNo: tried.length + 1 };
}

const refundsOf = ({ payments }: OrderMoney, charge: Charge): Payment[] =>
  payments
    .filter(({ step, subject }) => step === 'refund' && subject === charge.id)
    .toSorted((a, b) => a.try_no - b.try_no);
