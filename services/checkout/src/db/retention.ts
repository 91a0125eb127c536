import { dayMs } from '@app/contracts/durations';
import { sentNotificationsRetention } from '@app/messaging/notify-once';
import { messagingRetention } from '@app/messaging/retention';
import type { Clock } from '@app/service-kit/clock';
import { statement } from '@app/service-kit/database';
import { type ClockRule, type RetentionRule, rulesBy } from '@app/service-kit/retention';

/** A command is repeated for seconds (`time-outs.ts` of the contracts) and its attempts end within the minute, so no caller requests its refusal after a day. */
const refusalKeepDays = 1;

/** A visitor counts once a day, so today's visits are needed; yesterday's for replicas whose clocks differ. */
const visitKeepDays = 2;
/** A checkout that was opened and never touched since: a crawler's, or a page that was only opened. */
const untouchedKeepDays = 1;
/** A checkout that was not paid is closed then. */
const openKeepDays = 30;
/** And deleted then. It became no order: nothing else refers to it. */
const unpaidKeepDays = 60;
/**
 * They are compared for an hour after the payment, which may take a day at the bank; of a subscription they are kept until it
 * has ended.
 */
const digestKeepDays = 2;
/** The event of a subscription's start may arrive after that of its end. */
const endedSubscriptionKeepDays = 30;
/** A reminder keeps the next one out for 30 days, and its checkout may be counted for as long. */
const reminderKeepDays = 90;
/** Buyers use the link that ends reminders in old emails too. */
const optOutTokenKeepDays = 400;
export const reminderRunKeepDays = 90;

const daysAgo = (clock: Clock, days: number): Date => new Date(clock.nowMs() - days * dayMs);

const rules: readonly ClockRule[] = [
  {
    statement: statement(
      'retention-order-refusals',
      `delete from order_refusals where order_id in
      (select order_id from order_refusals where created_at < now() - make_interval(days => $1) limit $2)`,
    ),
    limit: () => refusalKeepDays,
  },
  {
    statement: statement(
      'retention-visits',
      `delete from visits where ctid in (select ctid from visits where day < $1::date limit $2)`,
    ),
    limit: (clock) => new Date(clock.nowMs() - (visitKeepDays - 1) * dayMs).toISOString().slice(0, 10),
  },
  {
    statement: statement(
      'retention-untouched-checkouts',
      `delete from checkouts where id in
      (select id from checkouts where status = 'open' and email is null and revision = 0 and created_at < $1 limit $2
       for update skip locked) and status = 'open'`,
    ),
    limit: (clock) => daysAgo(clock, untouchedKeepDays),
  },
  {
    statement: statement(
      'retention-open-checkouts',
      `update checkouts set status = 'expired', revision = revision + 1 where id in
      (select id from checkouts where status = 'open' and created_at < $1 limit $2 for update skip locked)
      and status = 'open'`,
    ),
    limit: (clock) => new Date(clock.nowMs() - openKeepDays * dayMs),
  },
  {
    statement: statement(
      'retention-unpaid-checkouts',
      `delete from checkouts where id in
      (select id from checkouts where status = 'expired' and upsell_status is null and created_at < $1 limit $2
       for update skip locked) and status = 'expired'`,
    ),
    limit: (clock) => new Date(clock.nowMs() - unpaidKeepDays * dayMs),
  },
  {
    statement: statement(
      'retention-buyer-digests',
      `update checkout_attempts set buyer_digests = null where ctid in
      (select ctid from checkout_attempts where buyer_digests is not null
         and sale -> 'product' ->> 'pricingType' <> 'subscription' and created_at < $1 limit $2)`,
    ),
    limit: (clock) => daysAgo(clock, digestKeepDays),
  },
  {
    statement: statement(
      'retention-ended-subscriptions',
      `with ended as (
        select id, account_id, order_id from sold_subscriptions where ended_at < $1 limit $2 for update skip locked
      ), cleared as (
        update checkout_attempts as t set buyer_digests = null from ended as e
        join checkouts as c on c.account_id = e.account_id and c.order_id = e.order_id
        where t.checkout_id = c.id and t.buyer_digests is not null
      )
      delete from sold_subscriptions where id in (select id from ended)`,
    ),
    limit: (clock) => daysAgo(clock, endedSubscriptionKeepDays),
  },
  {
    statement: statement(
      'retention-reminders',
      `delete from reminders where id in
      (select id from reminders where claimed_until < $1 limit $2 for update skip locked)`,
    ),
    limit: (clock) => daysAgo(clock, reminderKeepDays),
  },
  {
    statement: statement(
      'retention-opt-out-tokens',
      `delete from opt_out_tokens where token_hash in
      (select token_hash from opt_out_tokens where created_at < $1 limit $2)`,
    ),
    limit: (clock) => daysAgo(clock, optOutTokenKeepDays),
  },
  {
    statement: statement(
      'retention-reminder-runs',
      `delete from reminder_runs where id in
      (select id from reminder_runs where started_at < $1 and finished_at is not null limit $2)`,
    ),
    limit: (clock) => daysAgo(clock, reminderRunKeepDays),
  },
];

export const retention = (clock: Clock): readonly RetentionRule[] => [
  ...messagingRetention,
  sentNotificationsRetention(() => clock.now()),
  ...rulesBy(clock, rules),
];
