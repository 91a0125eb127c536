import { hasEnded, openPayment } from '../charging/payment.rules.ts';
import type { Hold, OrderMoney, Payment } from '../charging/payment.types.ts';
import { holdPaymentKey } from '../charging/payment-key.ts';

/** Releases of the hold, and not of its payment while that waited for the buyer: those have keys of their own making. */
export function releasesOf({ paymentId }: Hold, { payments }: OrderMoney): Payment[] {
  const held = payments.find(({ id }) => id === paymentId);
  if (held === undefined) return [];
  return payments
    .filter(({ step, id, attemptNo }) => step === 'release' && id === holdPaymentKey(held, step, attemptNo))
    .toSorted((a, b) => a.attemptNo - b.attemptNo);
}

/** What the hold waits for. */
export const openPaymentOf = (hold: Hold, money: OrderMoney): Payment | undefined =>
  openPayment(money.payments) ?? releasesOf(hold, money).find((release) => !hasEnded(release));
