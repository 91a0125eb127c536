import { readSettings } from '@app/account-settings/read-settings';
import type { EventData } from '@app/contracts/define';
import { newId } from '@app/contracts/ids';
import type { subscriptionRebilled } from '@app/contracts/subscriptions';
import type { ReceivedEvent } from '@app/messaging/event-handler';
import type { Clock } from '@app/service-kit/clock';
import { type Client, statement } from '@app/service-kit/database';
import { columnsOf, tableOf } from '@app/service-kit/row-arrays';
import { type CommissionTerms, commissionOn, dueAt, earnsOnRenewal } from './commission.rules.ts';
import { lockOrders, type OrderKey } from './lock-orders.ts';
import { correctCommissions } from './record-refunds.ts';
import { insertCommissions, type NewCommission } from './write-commissions.ts';

type Renewal = ReceivedEvent<EventData<typeof subscriptionRebilled>>;

/** A renewal that waited for its sale, or has it, and the sale's terms. */
interface SoldRenewal extends CommissionTerms {
  readonly accountId: string;
  readonly orderId: string;
  readonly subscriptionId: string;
  readonly period: number;
  readonly amountCents: number;
  readonly currency: string;
  readonly periodStart: Date;
  readonly chargedAt: Date;
  readonly affiliateId: string;
  readonly soldAt: Date;
  readonly renewalMonths: number;
}

const waitingTypes = {
  account_id: 'text',
  subscription_id: 'text',
  period: 'integer',
  order_id: 'text',
  amount_cents: 'bigint',
  currency: 'text',
  period_start: 'timestamptz',
  charged_at: 'timestamptz',
} as const;

/** All of a batch are put among the waiting: those whose sale is here are taken out again at once. */
const waitStatement = statement(
  'renewals-wait',
  `insert into waiting_renewals
     (account_id, subscription_id, period, order_id, amount_cents, currency, period_start, charged_at)
   select account_id, subscription_id, period, order_id, amount_cents, currency, period_start, charged_at
   from ${tableOf(waitingTypes, 1)}
   order by account_id, subscription_id, period
   on conflict (account_id, subscription_id, period) do nothing`,
);

const soldStatement = statement<SoldRenewal>(
  'renewals-sold',
  `with sold as (
     select account_id, order_id, affiliate_id, created_at, commission_basis_points, commission_cents, renewal_months
     from commissions where correction_no = 0 and (account_id, order_id) in (select * from unnest($1::text[], $2::text[]))
   ), waiting as (
     delete from waiting_renewals as w using sold
     where w.account_id = sold.account_id and w.order_id = sold.order_id
     returning w.account_id, w.order_id, w.subscription_id, w.period, w.amount_cents, w.currency, w.period_start, w.charged_at
   )
   select account_id as "accountId", order_id as "orderId", subscription_id as "subscriptionId", period,
     amount_cents as "amountCents", currency, period_start as "periodStart", charged_at as "chargedAt",
     affiliate_id as "affiliateId", created_at as "soldAt", commission_basis_points as "commissionBasisPoints",
     commission_cents as "commissionCents", renewal_months as "renewalMonths"
   from waiting join sold using (account_id, order_id) order by account_id, subscription_id, period`,
  {
    accountId: 'text',
    affiliateId: 'text',
    amountCents: 'int8',
    chargedAt: 'timestamptz',
    commissionBasisPoints: 'int4',
    commissionCents: 'int8',
    currency: 'text',
    orderId: 'text',
    period: 'int4',
    periodStart: 'timestamptz',
    renewalMonths: 'int4',
    soldAt: 'timestamptz',
    subscriptionId: 'text',
  },
);

const accountsStatement = statement<{ account_id: string }>(
  'renewals-accounts-with-affiliates',
  `select account_id from unnest($1::text[]) as w(account_id)
   where exists (select from affiliates as a where a.account_id = w.account_id)`,
  { account_id: 'text' },
);

/** An account without affiliates had none either when the subscription was sold: no sale of it is worth waiting for. */
async function ofAccountsWithAffiliates(client: Client, renewals: readonly Renewal[]): Promise<readonly Renewal[]> {
  const accountIds = [...new Set(renewals.map(({ accountId }) => accountId))];
  const { rows } = await client.query(accountsStatement([accountIds]));
  const known = new Set(rows.map(({ account_id }) => account_id));
  return renewals.filter(({ accountId }) => known.has(accountId));
}

/**
 * Credits affiliates with renewals of the sales they brought, by the terms of the sale, once for each renewal. A renewal
 * whose sale is not known here waits for it: the sale may come later, from another stream.
 */
export async function recordRenewals(client: Client, clock: Clock, events: readonly Renewal[]): Promise<void> {
  const renewals = await ofAccountsWithAffiliates(client, events);
  if (renewals.length === 0) return;
  const keys = renewals.map(({ accountId, data }) => ({ accountId, orderId: data.orderId }));
  await lockOrders(client, keys);
  const rows = renewals.map(({ accountId, data }) => ({
    account_id: accountId,
    subscription_id: data.subscriptionId,
    period: data.period,
    order_id: data.orderId,
    amount_cents: data.amountCents,
    currency: data.currency,
    period_start: data.periodStart,
    charged_at: data.chargedAt,
  }));
  await client.query(waitStatement(columnsOf(rows, waitingTypes)));
  await creditWaitingRenewals(client, clock, keys);
  await correctCommissions(client, clock, keys);
}

/** Credits the waiting renewals of orders whose sale is here. The orders are locked. */
export async function creditWaitingRenewals(client: Client, clock: Clock, orders: readonly OrderKey[]): Promise<void> {
  const values = [orders.map(({ accountId }) => accountId), orders.map(({ orderId }) => orderId)];
  const { rows: sold } = await client.query(soldStatement(values));
  const earning = sold.filter((one) => earnsOnRenewal(one.soldAt, one.renewalMonths, one.periodStart));
  if (earning.length === 0) return;
  const settings = await readSettings(
    client,
    earning.map(({ accountId }) => accountId),
  );
  const rows = earning.map((one) => renewalRow(one, settings.get(one.accountId)?.commissionHoldDays ?? 0));
  await insertCommissions(client, clock, rows);
}

function renewalRow(renewal: SoldRenewal, holdDays: number): NewCommission {
  const chargedAt = renewal.chargedAt.toISOString();
  return {
    account_id: renewal.accountId,
    id: newId('commission', renewal.chargedAt.getTime()),
    affiliate_id: renewal.affiliateId,
    order_id: renewal.orderId,
    kind: 'renewal',
    correction_no: null,
    subscription_id: renewal.subscriptionId,
    period: renewal.period,
    amount_cents: commissionOn({ totalCents: renewal.amountCents }, renewal),
    currency: renewal.currency,
    status: 'pending',
    created_at: chargedAt,
    due_at: dueAt(chargedAt, holdDays),
  };
}
