import type { StripeBooks } from './books.ts';
import type { PaymentIntent, Refund } from './objects.ts';
import { StripeNo } from './stripe-error.ts';

/*
 * What a seller does in Stripe's Dashboard: it names no payment of the platform. docs.stripe.com/payments/place-a-hold-on-a-payment-method has
 * captures and cancellations there, docs.stripe.com/refunds refunds. `reference` is that of the platform's payment. Each returns whether Stripe took it.
 */

const intentOf = (books: StripeBooks, reference: string): PaymentIntent | undefined =>
  books.all<PaymentIntent>('payment_intent').find(({ id }) => id === reference.split('/')[0]);

/** A hold is captured, once. @param amountCents a part, or all of it where it is left out */
export function captureThere(books: StripeBooks, reference: string, amountCents?: number): boolean {
  const intent = intentOf(books, reference);
  return intent !== undefined && isTaken(() => books.capture(intent, amountCents ?? intent.amount_capturable));
}

/** A hold ends without a capture, for a reason that the Dashboard asks for or none. */
export function cancelThere(books: StripeBooks, reference: string, reason: string | null = null): boolean {
  const intent = intentOf(books, reference);
  // The Dashboard offers it for a hold alone; what waits for its buyer is the platform's.
  return intent?.status === 'requires_capture' && isTaken(() => books.cancel(intent, reason));
}

/** A part of a charge goes back, or what is left of it. */
export function refundThere(books: StripeBooks, reference: string, amountCents?: number): boolean {
  const id = reference.split('/')[0];
  const given = books
    .all<Refund>('refund')
    .filter(({ payment_intent, status }) => payment_intent === id && status !== 'failed' && status !== 'canceled');
  const left = (intentOf(books, reference)?.amount_received ?? 0) - given.reduce((sum, { amount }) => sum + amount, 0);
  if (left <= 0 || left < (amountCents ?? left)) return false;
  return isTaken(() => books.refund({ payment_intent: id, amount: amountCents ?? left }));
}

/** Some cards and states refuse it. */
export function isTaken(act: () => unknown): boolean {
  try {
    act();
    return true;
  } catch (err) {
    if (!(err instanceof StripeNo)) throw err;
    return false;
  }
}
