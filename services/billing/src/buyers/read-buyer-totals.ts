import type { readBuyerTotals as contract } from '@app/contracts/customers';
import type { RequestOutput } from '@app/contracts/define';
import { type Database, statement } from '@app/service-kit/database';

type Totals = RequestOutput<typeof contract>;

const renewalsStatement = statement<Totals['renewals'][number]>(
  'buyers-renewals',
  `select email_key as "emailKey", currency, sum(amount_cents)::int8 as "amountCents" from payments
   where account_id = $1 and email_key = any ($2) and not test and step = 'renewal' and status = 'succeeded'
   group by email_key, currency`,
  { emailKey: 'text', currency: 'text', amountCents: 'int8' },
);

const activeStatement = statement<Totals['active'][number]>(
  'buyers-active-subscriptions',
  `select email_key as "emailKey", count(*)::int4 as subscriptions from subscriptions
   where account_id = $1 and email_key = any ($2) and not test and status = 'active'
   group by email_key`,
  { emailKey: 'text', subscriptions: 'int4' },
);

/** What renewals took from these buyers, in minor units and before refunds, and how many subscriptions of theirs are active. */
export async function readBuyerTotals(
  { pool }: Database,
  accountId: string,
  emailKeys: readonly string[],
): Promise<Totals> {
  const [renewals, active] = await Promise.all([
    pool.query(renewalsStatement([accountId, emailKeys])),
    pool.query(activeStatement([accountId, emailKeys])),
  ]);
  return { renewals: renewals.rows, active: active.rows };
}
