import type { EventData } from '@app/contracts/define';
import type { orderPaid } from '@app/contracts/orders';
import { percentOf } from '@app/money/arithmetic';

type Sale = Pick<EventData<typeof orderPaid>, 'totalCents' | 'customerEmail' | 'creditedCode' | 'test'>;

/** The terms of an affiliate: a percentage, in hundredths of a percent, or an amount. The other one is null. */
export interface CommissionTerms {
  readonly email: string;
  readonly commissionBasisPoints: number | null;
  readonly commissionCents: number | null;
}

/** Affiliates earn nothing on what they buy themselves. */
export function isOwnPurchase(customerEmail: string, affiliateEmail: string): boolean {
  return customerEmail.toLowerCase() === affiliateEmail.toLowerCase();
}

/**
 * What an affiliate earns on a sale, in minor units of the sale's currency: a percentage of the total (the paid items net
 * of discount), rounded half up, or the fixed amount, but never more than the total.
 */
export function commissionOn(sale: Pick<Sale, 'totalCents'>, affiliate: CommissionTerms): number {
  if (affiliate.commissionBasisPoints !== null)
    return percentOf(sale.totalCents, affiliate.commissionBasisPoints / 100);
  return Math.min(affiliate.commissionCents ?? 0, sale.totalCents);
}

type Credit = 'commission' | 'nothing' | 'unmatched';

/**
 * The effect of an order that names a code. Checkout decided at the sale who is credited, and the seller's webhook says so;
 * later changes of the affiliate must not contradict it. Older events have no `creditedCode`.
 */
export function creditOf(sale: Sale, affiliate: CommissionTerms | undefined): Credit {
  if (affiliate === undefined) return 'unmatched';
  const ownPurchase = isOwnPurchase(sale.customerEmail, affiliate.email);
  const credited = sale.creditedCode === undefined ? !ownPurchase : sale.creditedCode !== null;
  // Neither credited nor the affiliate's own purchase: the affiliate was added after the sale.
  if (!credited) return ownPurchase ? 'nothing' : 'unmatched';
  return sale.test ? 'nothing' : 'commission';
}
