import { readSettings } from '@app/account-settings/read-settings';
import { outboxColumns, outboxRecord } from '@app/messaging/outbox';
import type { Client } from '@app/service-kit/database';
import type { SubscriptionIdentity } from '../subscriptions/subscription-event.rules.ts';
import type { RenewalEffect, RenewedSubscription } from './renewal.rules.ts';
import { countEnds } from './renewal-counts.rules.ts';
import { type EndedRenewal, renewalEvents } from './renewal-events.ts';

/** What the end of a renewal looks at and changes, as `LockedSubscription` names it. */
export const lockedColumns = `id, account_id, order_id, product_id, product_name, customer_email, amount_cents, currency,
  billing_interval, test, status, failed_tries, hard_declined, free_try, payment_method, anchor, anchor_period, period,
  current_period_end, next_charge_at`;

export interface LockedSubscription extends RenewedSubscription, SubscriptionIdentity {
  readonly account_id: string;
  readonly billing_interval: 'month' | 'year';
}

/** A renewal that ended, with what was found out of the card. */
export interface WrittenRenewal extends EndedRenewal {
  readonly subscription: LockedSubscription;
  readonly effect: RenewalEffect;
  /** What its payment is over; 0 when there was none. */
  readonly cents: number;
  readonly card: { readonly processor: string; readonly last_four: string | null } | null;
}

/**
 * The parts of a statement that writes how subscriptions stand, and the events of it.
 * @param subscriptions the number of the parameter with their rows; ids come in the parameter after it
 */
export const changedSubscriptions = (subscriptions: number): string => `
  update subscriptions as s set status = c.status, failed_tries = c.failed_tries, hard_declined = c.hard_declined,
    free_try = c.free_try, period = c.period, current_period_end = c.current_period_end,
    next_charge_at = c.next_charge_at, canceled_at = coalesce(s.canceled_at, c.canceled_at),
    processor = coalesce(c.processor, s.processor), last_four = coalesce(c.last_four, s.last_four)
  from json_to_recordset($${subscriptions}::json) as c(id text, account_id text, status text, failed_tries integer,
    hard_declined boolean, free_try boolean, period integer, current_period_end timestamptz, next_charge_at timestamptz,
    canceled_at timestamptz, processor text, last_four text)
  where s.id = any ($${subscriptions + 1}::text[]) and s.id = c.id and s.account_id = c.account_id`;

export const writtenEvents = (events: number): string => `
  insert into outbox (${outboxColumns})
  select ${outboxColumns} from json_to_recordset($${events}::json) as e(${outboxRecord})`;

/** What ends of renewals add to the result of the run that counts them: see `count-renewals.ts`. */
export const writtenCounts = (counts: number): string => `
  insert into renewal_counts (account_id, test, currency, charged, charged_cents, retried, canceled)
  select account_id, test, currency, charged, charged_cents, retried, canceled
  from json_to_recordset($${counts}::json) as n(account_id text, test boolean, currency text, charged integer,
    charged_cents bigint, retried integer, canceled integer)`;

/** The value for `writtenCounts`. */
export const countsValue = (ended: readonly WrittenRenewal[]): string => JSON.stringify(countEnds(ended));

/** Values for `changedSubscriptions`: the rows as JSON, and their ids. */
export function subscriptionValues(ended: readonly WrittenRenewal[]): [string, string[]] {
  const rows = ended.flatMap(({ subscription: { id, account_id, payment_method }, card, end, effect: { after } }) => {
    if (after === null) return [];
    // Of another card than the one it has now nothing is kept.
    const known = end.method === payment_method ? card : null;
    return [{ ...after, ...known, id, account_id }];
  });
  return [JSON.stringify(rows), rows.map(({ id }) => id)];
}

/** The value for `writtenEvents`. @param nowMs when they are written down */
export async function eventsValue(client: Client, ended: readonly WrittenRenewal[], nowMs: number): Promise<string> {
  const canceling = ended.filter(({ effect }) => effect.after?.status === 'canceled' && !effect.paid);
  const settings =
    canceling.length === 0
      ? undefined
      : await readSettings(client, new Set(canceling.map(({ subscription }) => subscription.account_id)));
  const noticesOf = (accountId: string): boolean => settings?.get(accountId)?.cancellationNotices ?? false;
  return JSON.stringify(
    ended.flatMap((renewal) => renewalEvents(renewal, nowMs, noticesOf(renewal.subscription.account_id))),
  );
}

/** What the row of an ended renewal says; fields are named as the columns. */
export const endedPeriod = ({ subscription, end, effect }: WrittenRenewal) => ({
  ...{ account_id: subscription.account_id, subscription_id: subscription.id, period: end.period, ...effect.period },
  ...{ status: effect.paid ? 'paid' : 'failed', paid_at: effect.paid ? end.at : null },
});
