import type { listCommissions } from '@app/contracts/affiliates';
import type { EventData, RequestOutput } from '@app/contracts/define';
import { dayMs } from '@app/contracts/durations';
import { emailKey } from '@app/contracts/email-key';
import type { orderPaid } from '@app/contracts/orders';
import { percentOf } from '@app/money/arithmetic';

type Sale = Pick<
  EventData<typeof orderPaid>,
  'totalCents' | 'customerEmail' | 'creditedCode' | 'creditPending' | 'test'
>;

/** The terms of an affiliate: a percentage, in hundredths of a percent, or an amount. The other one is null. */
export interface CommissionTerms {
  readonly commissionBasisPoints: number | null;
  readonly commissionCents: number | null;
}

/** Affiliates earn nothing on what they buy themselves. */
export function isOwnPurchase(customerEmail: string, affiliateEmail: string): boolean {
  return mailboxOf(customerEmail) === mailboxOf(affiliateEmail);
}

/** Mail to `pat+anything@` reaches `pat@`: what follows the first + is dropped, unless nothing precedes it. */
const mailboxOf = (email: string): string => emailKey(email).replace(/^([^@+]+)\+[^@]*@/, '$1@');

/**
 * What an affiliate earns on a sale or on a renewal, in minor units of its currency: a percentage of the total (the paid
 * items net of discount), rounded half up, or the fixed amount, but never more than the total.
 */
export function commissionOn(sale: Pick<Sale, 'totalCents'>, affiliate: CommissionTerms): number {
  if (affiliate.commissionBasisPoints !== null)
    return percentOf(sale.totalCents, affiliate.commissionBasisPoints / 100);
  return Math.min(affiliate.commissionCents ?? 0, sale.totalCents);
}

type Credit = 'commission' | 'nothing' | 'unmatched';

/**
 * The effect of an order that names a code. Checkout decided at the sale who is credited, and the seller's webhook says so;
 * later changes of the affiliate must not contradict it. A pending credit (affiliate did not answer at the sale) is decided
 * here.
 */
export function creditOf(sale: Sale, affiliate: { readonly email: string } | undefined): Credit {
  if (affiliate === undefined) return 'unmatched';
  const ownPurchase = isOwnPurchase(sale.customerEmail, affiliate.email);
  const credited = sale.creditPending ? !ownPurchase : sale.creditedCode !== null;
  // Neither credited nor the affiliate's own purchase: the affiliate was added after the sale.
  if (!credited) return ownPurchase ? 'nothing' : 'unmatched';
  return sale.test ? 'nothing' : 'commission';
}

/** When a commission is due: so many days after the sale, or after the charge of a renewal. ISO 8601. */
export function dueAt(earnedAt: string, holdDays: number): string {
  return new Date(Date.parse(earnedAt) + holdDays * dayMs).toISOString();
}

/**
 * Whether a renewal earns: its period begins at most so many months after the sale. Both are days of UTC, so that the time
 * of day of a sale decides nothing: of a monthly subscription 3 months are 3 renewals, of a yearly one 12 months are one.
 */
export function earnsOnRenewal(soldAt: Date, renewalMonths: number, periodStart: Date): boolean {
  if (renewalMonths === 0) return false;
  return dayOf(periodStart) <= dayOf(monthsLater(soldAt, renewalMonths));
}

const dayOf = (time: Date): number => Math.floor(time.getTime() / dayMs);

/** Clamped to the month's last day, as periods of subscriptions are. */
function monthsLater(from: Date, months: number): Date {
  const [year, month] = [from.getUTCFullYear(), from.getUTCMonth() + months];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return new Date(Date.UTC(year, month, Math.min(from.getUTCDate(), lastDay)));
}

/** As the row has it. */
type Status = 'pending' | 'paid' | 'voided';

type PublishedStatus = RequestOutput<typeof listCommissions>['data'][number]['status'];

/** A pending commission is due from its time on; nothing is written then. */
export function statusAt(row: { readonly status: Status; readonly dueAt: Date }, now: Date): PublishedStatus {
  return row.status === 'pending' && row.dueAt <= now ? 'due' : row.status;
}
