import { fromStripeAmount } from '@app/money/stripe-amounts';
import type { ProcessorCall } from '../port.ts';
import { readPayment } from './stripe-intents.ts';
import type { StripeLink } from './stripe-link.ts';
import { chargeOf, markOf } from './stripe-objects.ts';

/** A payment of the account's, as Stripe has it. */
export interface OwnPayment {
  readonly orderId: string | null;
  readonly amountCents: number;
  readonly currency: string;
  /** All of it went back. */
  readonly isRefunded: boolean;
}

/** Undefined for other money of the same Stripe account. @throws NothingDoneError, StripeAnswerError */
export async function readOwnPayment(
  link: StripeLink,
  id: string,
  call: ProcessorCall,
): Promise<OwnPayment | undefined> {
  const intent = await readPayment(link, id, call);
  const mark = markOf(call, intent.metadata);
  if (mark === undefined) return undefined;
  const { amount, currency } = intent;
  const isRefunded = chargeOf(intent)?.refunded === true;
  return { orderId: mark.orderId, amountCents: fromStripeAmount(amount, currency), currency, isRefunded };
}
