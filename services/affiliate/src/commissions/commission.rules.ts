import type { EventData } from '@app/contracts/define';
import type { orderPaid } from '@app/contracts/orders';
import { percentOf } from '@app/money/arithmetic';

type Sale = Pick<EventData<typeof orderPaid>, 'totalCents' | 'customerEmail' | 'creditedCode' | 'test'>;

/** What a partner was promised: one of the two, the percentage in hundredths of a percent. */
export interface Promised {
  readonly email: string;
  readonly commissionBasisPoints: number | null;
  readonly commissionCents: number | null;
}

/** Partners earn nothing on what they buy themselves. */
export function isOwnPurchase(customerEmail: string, partnerEmail: string): boolean {
  return customerEmail.toLowerCase() === partnerEmail.toLowerCase();
}

/**
 * What a partner earns on a sale, in minor units of the sale's currency: a percentage of the total (the paid items net
 * of discount), half up, or the promised amount, which is never more than the total.
 */
export function commissionOn(sale: Pick<Sale, 'totalCents'>, partner: Promised): number {
  if (partner.commissionBasisPoints !== null) return percentOf(sale.totalCents, partner.commissionBasisPoints / 100);
  return Math.min(partner.commissionCents ?? 0, sale.totalCents);
}

type Credit = 'commission' | 'nothing' | 'unmatched';

/**
 * What an order that names a code does here. Who is credited was decided at the sale, and the order's event says it
 * (`creditedCode`): whatever became of the partner since, the seller was told that. Events of old do not say.
 */
export function creditOf(sale: Sale, partner: Promised | undefined): Credit {
  if (partner === undefined) return 'unmatched';
  const ownPurchase = isOwnPurchase(sale.customerEmail, partner.email);
  const credited = sale.creditedCode === undefined ? !ownPurchase : sale.creditedCode !== null;
  // Not credited, and not the partner's own purchase: the partner came after the sale.
  if (!credited) return ownPurchase ? 'nothing' : 'unmatched';
  return sale.test ? 'nothing' : 'commission';
}
