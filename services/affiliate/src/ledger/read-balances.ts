import type { getStatement } from '@app/contracts/affiliates';
import type { RequestOutput } from '@app/contracts/define';
import { type Client, statement } from '@app/service-kit/database';

export type Balance = RequestOutput<typeof getStatement>['balances'][number];

/** What is owed and not yet due is pending: the hold of its commission is not over. */
const balancesStatement = statement<Balance & { readonly affiliate_id: string }>(
  'ledger-balances',
  `select affiliate_id, currency, coalesce(pending_cents, 0) as pending_cents,
     owed_cents - coalesce(pending_cents, 0) as due_cents, paid_out_cents as paid_cents
   from (
     select affiliate_id, currency, owed_cents, paid_out_cents from ledger_balances
     where account_id = $1 and affiliate_id = any ($2)
   ) as ledger
   left join (
     select affiliate_id, currency, sum(amount_cents)::bigint as pending_cents from commissions
     where account_id = $1 and affiliate_id = any ($2) and status = 'pending' and due_at > $3
     group by affiliate_id, currency
   ) as held using (affiliate_id, currency)
   order by affiliate_id, currency`,
  { affiliate_id: 'text', currency: 'text', due_cents: 'int8', paid_cents: 'int8', pending_cents: 'int8' },
);

/** What each currency has pending, due and paid, of some affiliates by their ids; those without a commission are not in it. */
export async function readBalances(
  db: Pick<Client, 'query'>,
  accountId: string,
  affiliateIds: readonly string[],
  now: Date,
): Promise<ReadonlyMap<string, readonly Balance[]>> {
  if (affiliateIds.length === 0) return new Map();
  const { rows } = await db.query(balancesStatement([accountId, affiliateIds, now]));
  const balances = rows.map(({ affiliate_id, ...balance }) => ({ affiliate_id, balance }));
  const byAffiliate = Map.groupBy(balances, ({ affiliate_id }) => affiliate_id);
  return new Map([...byAffiliate].map(([id, found]) => [id, found.map(({ balance }) => balance)]));
}
