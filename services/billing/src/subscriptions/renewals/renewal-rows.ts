import { readSettings } from '@app/account-settings/read-settings';
import { type OutboxRow, outboxRow } from '@app/messaging/outbox';
import type { Client, ColumnsOf, Write } from '@app/service-kit/database';
import { byNoIndex } from '@app/service-kit/planner';
import { tableOf } from '@app/service-kit/row-arrays';
import { eventWrites } from '../../charging/answer-store.ts';
import { inserting, writing } from '../../charging/row-writers.ts';
import type { SubscriptionIdentity } from '../subscription-event.rules.ts';
import { identityTypes } from '../subscription-rows.ts';
import { endsUnpaid, type RenewedSubscription } from './renewal.rules.ts';
import type { DecidedRenewal } from './renewal-answer.rules.ts';
import { countOutcomes, type RenewalCounts } from './renewal-counts.rules.ts';
import { renewalEvents } from './renewal-events.rules.ts';

export interface LockedSubscription extends RenewedSubscription, SubscriptionIdentity {
  readonly account_id: string;
  readonly billing_interval: 'month' | 'year';
  readonly affiliate_named: boolean;
}

/** What recording the outcome of a renewal reads and changes. */
export const lockedTypes: ColumnsOf<LockedSubscription> = {
  ...identityTypes,
  account_id: 'text',
  status: 'text',
  failed_tries: 'int4',
  hard_declined: 'bool',
  free_attempt: 'bool',
  payment_method: 'text',
  anchor: 'timestamptz',
  anchor_period: 'int4',
  period: 'int4',
  current_period_end: 'timestamptz',
  next_charge_at: 'timestamptz',
  affiliate_named: 'bool',
  cancel_requested_by: 'text',
};

export type RecordedResult = DecidedRenewal<LockedSubscription>;

const subscriptionTypes = {
  id: 'text',
  account_id: 'text',
  status: 'text',
  failed_tries: 'integer',
  hard_declined: 'boolean',
  free_attempt: 'boolean',
  period: 'integer',
  current_period_end: 'timestamptz',
  next_charge_at: 'timestamptz',
  canceled_at: 'timestamptz',
  processor: 'text',
  last_four: 'text',
  wallet: 'text',
} as const;

// By their ids alone: of two indexes the planner may take that of all rows of an account.
const subscriptionWrites = writing(
  'subscriptions-renewed',
  subscriptionTypes,
  `update subscriptions as s set status = c.status, failed_tries = c.failed_tries, hard_declined = c.hard_declined,
     free_attempt = c.free_attempt, period = c.period, current_period_end = c.current_period_end,
     next_charge_at = c.next_charge_at, canceled_at = coalesce(s.canceled_at, c.canceled_at),
     processor = coalesce(c.processor, s.processor), last_four = coalesce(c.last_four, s.last_four),
     wallet = coalesce(c.wallet, s.wallet)
   from (select * from ${tableOf(subscriptionTypes, 1)}) as c where s.id = c.id and ${byNoIndex('s.account_id = c.account_id')}`,
);

const countTypes = {
  ...{ account_id: 'text', test: 'bool', currency: 'text' },
  ...{ charged: 'int4', charged_cents: 'int8', retried: 'int4', declined: 'int4', canceled: 'int4' },
} as const satisfies ColumnsOf<RenewalCounts>;
const countWrites = inserting('renewal-counts-insert', 'renewal_counts', countTypes);

/**
 * The statements that write what outcomes of renewals bring about: how subscriptions stand, what runs count, and the events. The
 * subscriptions are locked. What outcomes add to the result of the run that counts them: see `take-renewal-counts.ts`.
 * @param nowMs when they are written down
 */
export async function outcomeWrites(
  client: Client,
  results: readonly RecordedResult[],
  nowMs: number,
): Promise<readonly Write[]> {
  return [
    ...subscriptionWrites(changedSubscriptions(results)),
    ...countWrites(countOutcomes(results)),
    ...eventWrites(await eventsOf(client, results, nowMs)),
  ];
}

function changedSubscriptions(results: readonly RecordedResult[]) {
  return results.flatMap(({ subscription: { id, account_id }, card, effect: { after } }) =>
    after === null ? [] : [{ ...after, ...(card ?? unknownCard), id, account_id }],
  );
}

const unknownCard = { processor: null, last_four: null, wallet: null };

async function eventsOf(client: Client, results: readonly RecordedResult[], nowMs: number): Promise<OutboxRow[]> {
  const canceling = results.filter(({ effect }) => endsUnpaid(effect));
  const settings =
    canceling.length === 0
      ? undefined
      : await readSettings(client, new Set(canceling.map(({ subscription }) => subscription.account_id)));
  const noticesOf = (accountId: string): boolean => settings?.get(accountId)?.cancellationNotices ?? false;
  return results.flatMap((result) => {
    const { account_id: accountId } = result.subscription;
    return renewalEvents(result, nowMs, noticesOf(accountId)).map(({ definition, data, source }) =>
      outboxRow(definition, data, { ...source, accountId, requestId: null }),
    );
  });
}

export const periodTypes = {
  account_id: 'text',
  subscription_id: 'text',
  period: 'integer',
  starts_at: 'timestamptz',
  ends_at: 'timestamptz',
  status: 'text',
  paid_at: 'timestamptz',
} as const;

/** The row of a renewal's period; fields are named as the columns. */
export const periodRowOf = ({ subscription, outcome, effect }: RecordedResult) => ({
  account_id: subscription.account_id,
  subscription_id: subscription.id,
  period: outcome.period,
  ...effect.period,
  status: effect.paid ? 'paid' : 'failed',
  paid_at: effect.paid ? outcome.at : null,
});
