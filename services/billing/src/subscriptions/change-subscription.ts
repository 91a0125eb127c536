import { addToOutbox, type OutboxRow } from '@app/messaging/outbox';
import { runCommandOnce } from '@app/messaging/run-command-once';
import { executeBound } from '@app/service-kit/bound-sql';
import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import { renewalUnderWay } from '../payments/wanted-renewal.ts';
import { rehearsalTime } from '../runs/rehearsal-time.ts';
import type { Subscription, SubscriptionChange } from './subscription-change.rules.ts';
import type { SubscriptionIdentity } from './subscription-event.rules.ts';
import {
  type ChangedSubscription,
  noSubscription,
  type SubscriptionResource,
  type SubscriptionRow,
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

/** A card that replaces the one of a subscription: the processor's token, never logged, and whose it is. */
export interface NewCard {
  readonly method: string;
  readonly processor: string;
}

export interface Found extends RenewalState {
  /** For a test subscription the time of its rehearsal. */
  readonly now: Date;
  readonly subscription: Subscription & SubscriptionIdentity;
  /** The card is the one that it has. */
  readonly same_card: boolean;
}

export interface Decision {
  readonly change: SubscriptionChange;
  readonly card?: NewCard;
  /** Of the changed subscription, in the transaction of its change. */
  event?(changed: SubscriptionResource): OutboxRow;
}

/** The lock orders this action and whoever begins or ends a renewal: each sees what the other has written. */
const lockStatement = statement<LockedRow>(
  'change-subscription-lock',
  `
  select ${subscriptionColumns}, hard_declined, free_try,
    collection = 'automatic' and payment_method = $3 and coalesce(processor, $4) = $4 as same_card
  from subscriptions where account_id = $1 and id = $2 for update`,
  {
    ...subscriptionTypes,
    hard_declined: 'bool',
    free_try: 'bool',
    same_card: 'bool',
  },
);

// A statement of its own, behind the lock: it sees what was committed while the lock was waited for.
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
  update subscriptions set status = $3, collection = $4, canceled_at = $5, paused_at = $6, next_charge_at = $7,
    failed_tries = $8, hard_declined = $9, free_try = $10, anchor = $11, anchor_period = $12, period = $13,
    current_period_end = $14, payment_method = coalesce($15, payment_method), processor = coalesce($16, processor),
    last_four = case when $15::text is null then last_four end, cancel_requested_by = $17
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
type LockedRow = SubscriptionRow & Subscription & { readonly same_card: boolean | null };

/**
 * Changes one subscription and writes the event of the change, in one transaction, at most once for the command. An
 * action that holds already changes nothing, and tells nobody.
 * @param card the one to compare with the subscription's
 * @throws DomainError subscription_not_found, or what `decide` throws
 */
export async function changeSubscription(
  { database, clock, wakeRelay }: ChangeDeps,
  { accountId, commandId }: CommandContext,
  id: string,
  decide: (found: Found) => Decision,
  card?: NewCard,
): Promise<ChangedSubscription> {
  const resource = await runCommandOnce<ChangedSubscription>(database.fork(), commandId, async (tx) => {
    const values = [accountId, id, card?.method ?? null, card?.processor ?? null];
    const [row] = await executeBound(tx, lockStatement(values));
    if (row === undefined) throw noSubscription(id);
    const [renewal] = await executeBound(tx, renewalStatement([accountId, row.order_id, id, row.period]));
    const now = row.test ? await rehearsalNow(tx, accountId, clock.now()) : clock.now();
    const { charging, paid_at } = renewal as RenewalState;
    const found = { now, subscription: row, charging, paid_at, same_card: row.same_card ?? false };
    const { change, event, card: newCard } = decide(found);
    if (change === null) return { ...subscriptionOf(row, now), renewal_under_way: charging };
    const changed = await update(tx, accountId, { ...row, ...change }, now, newCard);
    if (event !== undefined) await addToOutbox(tx, [event(changed)]);
    return { ...changed, renewal_under_way: charging };
  });
  wakeRelay();
  return resource;
}

async function update(
  tx: Transaction,
  accountId: string,
  next: LockedRow,
  now: Date,
  card: NewCard | undefined,
): Promise<SubscriptionResource> {
  const [row] = await executeBound(
    tx,
    updateStatement([
      accountId,
      next.id,
      next.status,
      next.collection,
      next.canceled_at,
      next.paused_at,
      next.next_charge_at,
      next.failed_tries,
      next.hard_declined,
      next.free_try,
      next.anchor,
      next.anchor_period,
      next.period,
      next.current_period_end,
      card?.method ?? null,
      card?.processor ?? null,
      next.cancel_requested_by,
    ]),
  );
  return subscriptionOf(row as SubscriptionRow, now);
}
