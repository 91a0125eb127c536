import type { listOrderCommissions as contract } from '@app/contracts/affiliates';
import type { RequestOutput } from '@app/contracts/define';
import { type Database, statement } from '@app/service-kit/database';

type Result = RequestOutput<typeof contract>;

const ofOrder = statement<Result['data'][number]>(
  'commissions-of-order',
  `select a.code as "affiliateCode", c.period is not null or c.part <> '' as renewal,
     sum(c.amount_cents)::bigint as "amountCents", c.currency
   from commissions as c join affiliates as a on a.account_id = c.account_id and a.id = c.affiliate_id
   where c.account_id = $1 and c.order_id = $2 and c.status <> 'voided'
   group by 1, 2, 4 having sum(c.amount_cents) <> 0 order by 2`,
  { affiliateCode: 'text', amountCents: 'int8', currency: 'text', renewal: 'bool' },
);

/** What stands of the commissions on an order and on its renewals; nothing for an order that credits no affiliate. */
export async function listOrderCommissions(database: Database, accountId: string, orderId: string): Promise<Result> {
  return { data: (await database.pool.query(ofOrder([accountId, orderId]))).rows };
}
