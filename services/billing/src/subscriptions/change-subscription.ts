import { addToOutbox, type OutboxRow } from '@app/messaging/outbox';
import { runCommandOnce } from '@app/messaging/run-command-once';
import { executeBound } from '@app/service-kit/bound-sql';
import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import { hurryRenewalsStatement } from '../charging/hurry-renewals.ts';
import { renewalUnderWay } from '../charging/wanted-renewal.ts';
import { rehearsalTime } from '../runs/rehearsal-time.ts';
import type { Subscription, SubscriptionChange } from './subscription-change.rules.ts';
import type { SubscriptionIdentity } from './subscription-event.rules.ts';
import {
  type ChangedSubscription,
  noSubscription,
  type SubscriptionResource,
  type SubscriptionRow,
  stateColumns,
  stateValues,
  subscriptionColumns,
  subscriptionOf,
  subscriptionTypes,
} from './subscription-rows.ts';

export interface ChangeDeps {
  readonly database: Database;
  readonly clock: Clock;
  wakeRelay(): void;
}

export interface CommandContext {
  readonly accountId: string;
  readonly requestId: string;
  readonly commandId: string;
}

export interface Found extends RenewalState {
  /** For a test subscription the time of its rehearsal. */
  readonly now: Date;
  readonly subscription: Subscription & SubscriptionIdentity;
}

export interface Decision {
  readonly change: SubscriptionChange;
  /** Of the changed subscription, in the transaction of its change. */
  event?(changed: SubscriptionResource): OutboxRow;
}

/** The lock orders this action and the beginning and end of a renewal: each sees what the other has written. */
const lockStatement = statement<LockedRow>(
  'change-subscription-lock',
  `
  select ${subscriptionColumns}, hard_declined, free_attempt, paused_retry_at
  from subscriptions where account_id = $1 and id = $2 for update`,
  {
    ...subscriptionTypes,
    hard_declined: 'bool',
    free_attempt: 'bool',
    paused_retry_at: 'timestamptz',
  },
);

// A statement of its own, after the lock: it sees what was committed while the lock was waited for.
const renewalStatement = statement<RenewalState>(
  'change-subscription-renewal',
  `
  select ${renewalUnderWay('$1', '$2')} as charging,
    (select paid_at from renewals where account_id = $1 and subscription_id = $3 and period = $4) as paid_at`,
  { charging: 'bool', paid_at: 'timestamptz' },
);

interface RenewalState {
  /** A renewal of it is at the processor. */
  readonly charging: boolean;
  /** When its last period was charged here; null when none was. */
  readonly paid_at: Date | null;
}

const updateStatement = statement<SubscriptionRow>(
  'change-subscription-update',
  `
  update subscriptions set ${stateColumns}
  where account_id = $1 and id = $2
  returning ${subscriptionColumns}`,
  subscriptionTypes,
);

const aheadStatement = statement<{ ahead_days: number }>(
  'change-subscription-ahead',
  'select ahead_days from rehearsal_clocks where account_id = $1',
  { ahead_days: 'int4' },
);

async function rehearsalNow(tx: Transaction, accountId: string, now: Date): Promise<Date> {
  const [row] = await executeBound(tx, aheadStatement([accountId]));
  return rehearsalTime(now, row?.ahead_days ?? 0);
}

type Transaction = ReturnType<Database['fork']>;
type LockedRow = SubscriptionRow & Subscription;

/**
 * Changes one subscription and writes the event of the change, in one transaction, at most once for the command. An
 * action that holds already changes nothing, and sends no notification.
 * @throws DomainError subscription_not_found, or what `decide` throws
 */
export async function changeSubscription(
  { database, clock, wakeRelay }: ChangeDeps,
  { accountId, commandId }: CommandContext,
  id: string,
  decide: (found: Found) => Decision,
): Promise<ChangedSubscription> {
  const resource = await runCommandOnce<ChangedSubscription>(database.fork(), commandId, async (tx) => {
    const [row] = await executeBound(tx, lockStatement([accountId, id]));
    if (row === undefined) throw noSubscription(id);
    const [renewal] = await executeBound(tx, renewalStatement([accountId, row.order_id, id, row.period]));
    const now = row.test ? await rehearsalNow(tx, accountId, clock.now()) : clock.now();
    const { charging, paid_at } = renewal as RenewalState;
    const { change, event } = decide({ now, subscription: row, charging, paid_at });
    if (change === null) return { ...subscriptionOf(row, now), renewal_under_way: charging };
    const values = stateValues(accountId, id, { ...row, ...change });
    const [written] = await executeBound(tx, updateStatement(values));
    if (charging) await executeBound(tx, hurryRenewalsStatement([[accountId], [row.order_id]]));
    const changed = subscriptionOf(written as SubscriptionRow, now);
    if (event !== undefined) await addToOutbox(tx, [event(changed)]);
    return { ...changed, renewal_under_way: charging };
  });
  wakeRelay();
  return resource;
}
