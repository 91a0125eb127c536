import type { ItemResult } from '@app/service-kit/batcher';
import type { Clock } from '@app/service-kit/clock';
import { type Client, type Database, statement, type Write } from '@app/service-kit/database';
import { pipelined } from '@app/service-kit/pipelined';
import { byRows } from '@app/service-kit/planner';
import { namesOf } from '@app/service-kit/row-arrays';
import { together } from '@app/service-kit/together';
import { inserting } from '../../charging/row-writers.ts';
import { lockDueSql, lockDueValues } from './claim-statements.ts';
import type { ChargeScope, DueSubscription } from './due-subscriptions.ts';
import { effectOf, type RenewalOutcome } from './renewal.rules.ts';
import {
  type LockedSubscription,
  lockedTypes,
  outcomeWrites,
  periodRowOf,
  periodTypes,
  type RecordedResult,
} from './renewal-rows.ts';

/** The reason of the last hard decline; the card was the same then. */
const lockStatement = statement<Locked>(
  'renewals-lock-due',
  lockDueSql(
    `s.*, (
       select p.decline_reason from payments as p
       where p.account_id = $1 and p.order_id = i.order_id and p.step = 'renewal' and p.decline_kind = 'hard'
       order by p.created_at desc, p.id desc limit 1) as decline_reason`,
    namesOf(lockedTypes),
  ),
  { ...lockedTypes, decline_reason: 'text' },
);

const renewalTypes = { ...periodTypes, amount_cents: 'bigint', currency: 'text', run_id: 'text' } as const;

const periodWrites = inserting(
  'renewals-without-payment',
  'renewals',
  renewalTypes,
  ` on conflict (account_id, subscription_id, period) do update set starts_at = excluded.starts_at,
     ends_at = excluded.ends_at, amount_cents = excluded.amount_cents, currency = excluded.currency,
     status = excluded.status, run_id = excluded.run_id, paid_at = excluded.paid_at`,
);

/** Whether the processor is not called: the period costs nothing, or the card is lost, stolen or expired. */
export const needsNoPayment = ({ amount_cents, hard_declined, free_attempt }: DueSubscription): boolean =>
  amount_cents === 0 || (hard_declined && !free_attempt);

/**
 * Ends renewals that need no call of the processor, all in one transaction: a period that costs nothing is paid, and an attempt
 * on a card that does not work any more has failed. Should it fail, each is ended by itself.
 * @returns whether each was still due, or why it could not be written
 */
export async function renewWithoutPayment(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  run: ChargeScope,
  due: readonly DueSubscription[],
): Promise<readonly ItemResult<boolean>[]> {
  if (due.length === 0) return [];
  return await together(async (some: readonly DueSubscription[]) => {
    const { ended } = await database.transaction(
      (client) => lockAndEnd(client, run, some, clock.nowMs()),
      ({ writes }) => writes,
    );
    return some.map(({ id }) => ended.has(id));
  })(due);
}

interface Ended {
  /** The ids of the subscriptions whose renewals end. */
  readonly ended: ReadonlySet<string>;
  readonly writes: readonly Write[];
}

async function lockAndEnd(
  client: Client,
  run: ChargeScope,
  due: readonly DueSubscription[],
  nowMs: number,
): Promise<Ended> {
  const [, { rows }] = await pipelined(client, [byRows(), lockStatement(lockDueValues(run, due))]);
  const results = rows.map((row) => resultOf(row, run.now));
  const ended = new Set(results.map(({ subscription }) => subscription.id));
  return {
    ended,
    writes: [...periodWrites(periodsOf(run, results)), ...(await outcomeWrites(client, results, nowMs))],
  };
}

interface Locked extends LockedSubscription {
  readonly decline_reason: string | null;
}

function resultOf({ decline_reason, ...subscription }: Locked, at: Date): RecordedResult {
  const about = { period: subscription.period + 1, at, method: subscription.payment_method };
  const outcome: RenewalOutcome =
    subscription.amount_cents === 0
      ? { ...about, kind: 'paid' }
      : { ...about, kind: 'declined', hard: true, reason: decline_reason ?? 'card_declined' };
  const effect = effectOf(subscription, outcome);
  return { subscription, paymentId: null, cents: 0, outcome, effect, chargedCard: noCard, card: null };
}

const noCard = { lastFour: null, wallet: null };

const periodsOf = ({ runId: run_id }: ChargeScope, results: readonly RecordedResult[]) =>
  results.map((each) => ({
    ...periodRowOf(each),
    amount_cents: each.subscription.amount_cents,
    currency: each.subscription.currency,
    run_id,
  }));
