import { dayMs } from '@app/contracts/durations';
import { sentNotificationsRetention } from '@app/messaging/notify-once';
import { messagingRetention } from '@app/messaging/retention';
import type { Clock } from '@app/service-kit/clock';
import { statement } from '@app/service-kit/database';
import { type ClockRule, type RetentionRule, rulesBy } from '@app/service-kit/retention';

/** Thirteen months, so that a year's runs can be compared with those of the year before. */
export const runKeepDays = 396;
/**
 * Thirteen months after the last entry that is about it: a yearly subscription charges the card of its first payment, and is
 * tried again for some weeks. Comparisons of books reach back some days, or to the run before.
 */
const entryKeepDays = 396;
/** A list shows the same facts each time that it is read; the next reading is compared by itself. */
const listedFactsKeepDays = 10;
/** As long as entries: what answers, look-ups, events and the seller told of a payment. */
const factsKeepDays = entryKeepDays;
/** A key is sent again for 23 hours. */
const lostSendingKeepDays = 90;
/** Stripe sends an event again for three days, and shows it for thirty, in which its seller may send it again. */
const processorEventKeepDays = 35;

const daysAgo = (clock: Clock, days: number) => new Date(clock.nowMs() - days * dayMs);

const isSameFact = `s.account_id = f.account_id and s.processor = f.processor and s.test = f.test and s.reference = f.reference
          and s.kind = f.kind`;

const rules: readonly ClockRule[] = [
  {
    statement: statement(
      'retention-daily-runs',
      'delete from daily_runs where id in (select id from daily_runs where started_at < $1 limit $2)',
    ),
    limit: (clock) => daysAgo(clock, runKeepDays),
  },
  {
    statement: statement(
      'retention-listed-facts',
      `delete from processor_facts where ctid = any (array(
      select ctid from processor_facts where seen_by = 'list' and not lacked and seen_at < $1 limit $2))`,
    ),
    limit: (clock) => daysAgo(clock, listedFactsKeepDays),
  },
  {
    // What stops charges until the seller confirms it has no age, nor has what is not followed yet. Lists show the former after that too, so the
    // confirmation goes last.
    statement: statement(
      'retention-facts',
      `delete from processor_facts where ctid = any (array(
      select ctid from processor_facts as f where seen_at < $1 and case
        when lacked then (select true from processor_facts as s where ${isSameFact} and s.seen_by = 'seller' limit 1)
        when seen_by = 'seller' then (select true from processor_facts as s where ${isSameFact} and s.lacked limit 1) is null
        when seen_by = 'unfollowed' then (select true from payments as p where p.account_id = f.account_id
          and p.order_id = f.order_id and p.processor_reference = f.reference limit 1)
        else true end limit $2))`,
    ),
    limit: (clock) => daysAgo(clock, factsKeepDays),
  },
  {
    statement: statement(
      'retention-simulated-entries',
      `delete from simulated_processor.entries where seq in (
      select seq from simulated_processor.entries as e
      where recorded_at < $1 and (later_at is null or later_at < $1) and not exists (
        select from simulated_processor.entries
        where account_id = e.account_id and test = e.test and about = e.reference and recorded_at >= $1)
      limit $2)`,
    ),
    limit: (clock) => daysAgo(clock, entryKeepDays),
  },
  {
    statement: statement(
      'retention-lost-sendings',
      `delete from simulated_processor.lost_sendings where (account_id, test, payment_id) in (
      select account_id, test, payment_id from simulated_processor.lost_sendings where lost_at < $1 limit $2)`,
    ),
    limit: (clock) => daysAgo(clock, lostSendingKeepDays),
  },
  {
    statement: statement(
      'retention-processor-events',
      `delete from processor_events where (account_id, processor, test, event_id) in (
      select account_id, processor, test, event_id from processor_events where received_at < $1 limit $2)`,
    ),
    limit: (clock) => daysAgo(clock, processorEventKeepDays),
  },
];

export const retention = (clock: Clock): readonly RetentionRule[] => [
  ...messagingRetention,
  sentNotificationsRetention(() => clock.now()),
  ...rulesBy(clock, rules),
];
