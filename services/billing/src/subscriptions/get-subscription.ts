import { limits } from '@app/contracts/common';
import type { RequestOutput } from '@app/contracts/define';
import { hourMs } from '@app/contracts/durations';
import type { getSubscription as contract } from '@app/contracts/subscriptions';
import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import { paymentResourceOf } from '../charging/list-payments.ts';
import { givenUp } from '../charging/payment.rules.ts';
import type { Payment } from '../charging/payment.types.ts';
import { paymentColumns, paymentOf } from '../charging/payment-store.ts';
import { timeOf } from '../runs/rehearsal-time.ts';
import { nthPeriodEnd } from './period.rules.ts';
import {
  noSubscription,
  type SubscriptionRow,
  subscriptionColumns,
  subscriptionOf,
  subscriptionTypes,
} from './subscription-rows.ts';

type Resource = RequestOutput<typeof contract>;
type Period = Resource['periods'][number];

/** The subscription with its history, as of one moment: a renewal that ends meanwhile is in both lists or in none. */
const byId = statement<HistoryRow>(
  'subscriptions-by-id',
  `select ${subscriptionColumns},
     (select json_agg(r order by r.period desc)
      from (select period, starts_at, ends_at, amount_cents, status, paid_at from renewals
            where account_id = s.account_id and subscription_id = s.id order by period desc limit $3) as r) as renewals,
     (select json_agg(p order by p.id desc)
      from (select ${paymentColumns} from payments
            where account_id = s.account_id and order_id = s.order_id and step = 'renewal'
            order by id desc limit $3) as p) as payments,
     (select row_to_json(c) from (
       select status, action_url as "actionUrl", releasing, decline_reason as "declineReason", finished_at as "finishedAt" from payments
       where account_id = s.account_id and order_id = s.order_id and step = 'card'
       order by attempt_no desc limit 1) as c) as card
   from subscriptions as s where account_id = $1 and id = $2`,
  { ...subscriptionTypes, renewals: 'json', payments: 'json', card: 'json' },
);

interface HistoryRow extends SubscriptionRow {
  readonly renewals: Period[] | null;
  readonly payments: Payment[] | null;
  readonly card: NewestCard | null;
}

type NewestCard = Pick<Payment, 'status' | 'actionUrl' | 'releasing' | 'declineReason' | 'finishedAt'>;

/**
 * One subscription, of a test order too, with its periods and payments, newest first and at most 100 each.
 * @throws DomainError subscription_not_found, for another account's as well
 */
export async function getSubscription(
  deps: { readonly database: Database; readonly clock: Clock },
  accountId: string,
  id: string,
): Promise<Resource> {
  const { rows } = await deps.database.pool.query(byId([accountId, id, limits.listMax]));
  const [row] = rows;
  if (row === undefined) throw noSubscription(id);
  const renewed = (row.renewals ?? []).map(periodOf);
  return {
    ...subscriptionOf(row, await timeOf(deps, accountId, row.test)),
    periods: [...renewed, firstPeriod(row)].slice(0, limits.listMax),
    card_change: cardChangeOf(row.card, deps.clock.nowMs()),
    payments: (row.payments ?? []).map((payment) => paymentResourceOf(paymentOf(payment), row)),
  };
}

const declineShownMs = hourMs;

/** What the buyer still waits for, or has just been refused; null once the newest card is saved. */
function cardChangeOf(card: NewestCard | null, nowMs: number): Resource['card_change'] {
  if (card === null || card.status === 'succeeded') return null;
  const { status, actionUrl: url, releasing, declineReason, finishedAt } = card;
  if (status === 'declined') {
    const isShown = declineReason !== givenUp && nowMs - new Date(finishedAt ?? 0).getTime() < declineShownMs;
    return isShown ? { status, url: null } : null;
  }
  return status === 'requires_action' && !releasing ? { status, url } : { status: 'processing', url: null };
}

/** The period that the order paid. Whatever moved the anchor since, it began with the subscription. */
const firstPeriod = ({ started_at, billing_interval, amount_cents }: SubscriptionRow): Period => ({
  period: 1,
  starts_at: started_at.toISOString(),
  ends_at: nthPeriodEnd(started_at, billing_interval, 1).toISOString(),
  amount_cents,
  status: 'paid',
  paid_at: started_at.toISOString(),
});

/** Times in PostgreSQL's JSON have an offset and as many digits as they need. */
const periodOf = ({ starts_at, ends_at, paid_at, ...period }: Period): Period => ({
  ...period,
  starts_at: new Date(starts_at).toISOString(),
  ends_at: new Date(ends_at).toISOString(),
  paid_at: paid_at === null ? null : new Date(paid_at).toISOString(),
});
