import { definePoint } from '@app/service-kit/points';

interface OfAccount {
  readonly accountId: string;
}

/** A run has claimed the reminders of a page; the claims are committed, and none of the reminders has begun. */
export const remindersClaimed = definePoint<OfAccount & { readonly reminderIds: readonly string[] }>(
  'checkout.reminders-claimed',
);

/** What became of a reminder that was submitted is committed. */
export const reminderRecorded = definePoint<
  OfAccount & { readonly reminderId: string; readonly status: 'sent' | 'failed' }
>('checkout.reminder-recorded');

/** A scan for accounts whose buyers wait for a run has ended; each of these has been notified once since its last run. */
export const overdueNotified = definePoint<{ readonly accountIds: readonly string[] }>('checkout.overdue-notified');

/** The account's open checkouts were counted, and those beyond its bound are deleted. */
export const openingsBounded = definePoint<OfAccount & { readonly deleted: number }>('checkout.openings-bounded');
