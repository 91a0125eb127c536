import { fromStripeAmount } from '@app/money/stripe-amounts';
import type Stripe from 'stripe';
import type { ProcessorFee } from '../port.ts';

/**
 * What Stripe kept, by the balance transactions of a charge or a dispute: `fee` is in `currency`, the one of the balance that it moved,
 * and not that of the payment (https://docs.stripe.com/api/balance_transactions/object).
 */
export function feesOf(moved: readonly Pick<Stripe.BalanceTransaction, 'fee' | 'currency'>[]): ProcessorFee[] {
  const byCurrency = Map.groupBy(moved, ({ currency }) => currency);
  return [...byCurrency].map(([currency, each]) => ({
    amountCents: fromStripeAmount(
      each.reduce((sum, { fee }) => sum + fee, 0),
      currency,
    ),
    currency,
  }));
}

/** Of a charge whose balance transaction is not expanded, or not there yet, nothing is known. */
export function feesOfCharge(charge: Stripe.Charge | undefined): { readonly fees?: ProcessorFee[] } {
  const moved = charge?.balance_transaction;
  return moved == null || typeof moved === 'string' ? {} : { fees: feesOf([moved]) };
}
