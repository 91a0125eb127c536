import type { EventData } from '@app/contracts/define';
import type { orderPaid } from '@app/contracts/orders';
import { percentOf } from '@app/money/arithmetic';

type Sale = Pick<EventData<typeof orderPaid>, 'totalCents' | 'customerEmail' | 'test'>;

/** What a partner was promised: one of the two, the percentage in hundredths of a percent. */
export interface Promised {
  readonly email: string;
  readonly commissionBasisPoints: number | null;
  readonly commissionCents: number | null;
}

/**
 * What a partner earns on a sale, in minor units of the sale's currency: a percentage of the total (the paid items net
 * of discount), half up, or the promised amount, which is never more than the total. Null when the sale earns nobody
 * a commission: a rehearsal, or partners buying through their own code.
 */
export function commissionOn(sale: Sale, partner: Promised): number | null {
  if (sale.test || sale.customerEmail.toLowerCase() === partner.email.toLowerCase()) return null;
  if (partner.commissionBasisPoints !== null) return percentOf(sale.totalCents, partner.commissionBasisPoints / 100);
  return Math.min(partner.commissionCents ?? 0, sale.totalCents);
}
