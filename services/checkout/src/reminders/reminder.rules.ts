import type { Settings } from '@app/contracts/accounts';
import { dayMs, minuteMs } from '@app/contracts/durations';

/** A buyer who is idle for less may still be typing; settings allow no less. */
export const leastIdleMinutes = 10;
/** Older checkouts are forgotten ones. */
const oldestDays = 7;
/** A buyer is reminded of a product once in so many days. */
const quietDays = 30;

/** Of all products, in 24 hours: whoever opens checkouts with a stranger's address at a shop of many products. */
const toBuyerPerDay = 10;

/**
 * The reminders that may go out now, in their order.
 * @param had how many each buyer has got in the last 24 hours
 */
export function withinBuyersDay<Reminder extends { readonly buyer: string }>(
  reminders: readonly Reminder[],
  had: ReadonlyMap<string, number>,
): Reminder[] {
  const counts = new Map(had);
  return reminders.filter(({ buyer }) => {
    const count = (counts.get(buyer) ?? 0) + 1;
    counts.set(buyer, count);
    return count <= toBuyerPerDay;
  });
}

/** The times that decide which checkouts have stalled. */
export interface StalledBounds {
  readonly now: Date;
  /** It was not touched since then. */
  readonly idleSince: Date;
  /** It was opened after that. */
  readonly openedAfter: Date;
  /** A reminder that went out before that is long ago. */
  readonly quietSince: Date;
}

export function stalledBounds(nowMs: number, nudgeAfterMinutes: number): StalledBounds {
  return {
    now: new Date(nowMs),
    idleSince: new Date(nowMs - nudgeAfterMinutes * minuteMs),
    openedAfter: new Date(nowMs - oldestDays * dayMs),
    quietSince: new Date(nowMs - quietDays * dayMs),
  };
}

/** An account whose address is not verified writes to nobody, so that no address matches; null when it may remind all. */
export const onlyRecipient = ({ emailVerified }: Pick<Settings, 'emailVerified'>): string | null =>
  emailVerified ? null : '';

/** Where the buyer finds the checkout as it was. */
export interface CheckoutShop {
  /** This deployment's address, without a slash at its end. */
  readonly publicUrl: string;
  /** The seller's own page; null for the hosted one. */
  readonly checkoutUrl: string | null;
  readonly handle: string;
  readonly slug: string;
}

/**
 * The link of a reminder. It holds a token that copies the checkout, and no secret of the checkout itself. The seller's own page gets
 * the token after the `#`, which browsers send to no server.
 */
export function checkoutLink({ publicUrl, checkoutUrl, handle, slug }: CheckoutShop, token: string): string {
  if (checkoutUrl === null) return `${publicUrl}/c/restore/${token}.${handle}.${slug}`;
  const link = new URL(checkoutUrl);
  link.hash = `restore=${token}`;
  return link.href;
}

export const optOutLink = (publicUrl: string, token: string): string => `${publicUrl}/c/opt-out/${token}`;

/** What of a run's reminders did not go out, in one line; null when all did. */
export function problemOf({ failed, left, detail }: { failed: number; left: boolean; detail: string }): string | null {
  if (failed === 0 && !left) return null;
  const what =
    failed === 0 ? 'Reminders took too long' : `${failed} ${failed === 1 ? 'reminder' : 'reminders'} did not go out`;
  const why = detail === '' ? '' : ` (${oneLine(detail)})`;
  return `${what}${why}. The next daily run tries again${left ? ' and goes on with the others' : ''}.`;
}

/** How many reminders may go out in 24 hours. */
export interface ReminderBounds {
  /** Of an account. */
  readonly perDay: number;
  /** Of all accounts; 0 for no bound. Accounts that run at once may send up to a page each beyond it. */
  readonly perDayOfAll: number;
}

const ceilingOf = ({ perDay, perDayOfAll }: ReminderBounds): string => {
  const ofAll = perDayOfAll === 0 ? '' : `, or of ${perDayOfAll} of all accounts together,`;
  return `The ceiling of ${perDay} reminders in a day${ofAll} is reached: later runs send the others.`;
};

const unverifiedText = 'Reminders were not sent: they wait until the account’s email address is verified.';

/** A server that refuses everybody has something against the sender. */
const refusedByAll = 3;

/** Whether the mail server refused so many, and took none, that it is not about their addresses. */
export const refusesAll = ({ sent, refused }: { sent: number; refused: number }): boolean =>
  sent === 0 && refused >= refusedByAll;

/** What the seller is notified of about a run, beside its problem, in one line; null for nothing. */
export function noticeOf(run: {
  readonly refusedFirst: number;
  readonly refusal: string;
  readonly capped: boolean;
  readonly unverified: number;
  readonly bounds: ReminderBounds;
}): string | null {
  const { refusedFirst, refusal, capped, unverified, bounds } = run;
  const what = refusedFirst === 1 ? '1 reminder was' : `${refusedFirst} reminders were`;
  const refused = `${what} refused (${oneLine(refusal)}). Daily runs try twice more, once a day, and then give up.`;
  const reported = [
    ...(refusedFirst > 0 ? [refused] : []),
    ...(unverified > 0 ? [unverifiedText] : []),
    ...(capped ? [ceilingOf(bounds)] : []),
  ];
  return reported.length === 0 ? null : reported.join(' ');
}

/** What a mail server says may be long, and may hold line breaks. */
const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, 300);
