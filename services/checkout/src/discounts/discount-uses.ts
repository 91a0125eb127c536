import { type Client, statement } from '@app/service-kit/database';

/** A discount whose uses are limited. */
export interface LimitedDiscount {
  readonly accountId: string;
  readonly discountId: string;
}

const usesStatement = statement<{ uses: number }>(
  'discounts-uses',
  `select coalesce(
     (select uses from discount_uses where account_id = w.account_id and discount_id = w.discount_id), 0) as uses
   from unnest($1::text[], $2::text[]) with ordinality as w(account_id, discount_id, position) order by w.position`,
  { uses: 'int8' },
);

/** How often each discount was used, in their order; 0 for one that the account does not have. */
export async function usesOf(db: Pick<Client, 'query'>, discounts: readonly LimitedDiscount[]): Promise<number[]> {
  const values = [discounts.map(({ accountId }) => accountId), discounts.map(({ discountId }) => discountId)];
  const { rows } = await db.query(usesStatement(values));
  return rows.map(({ uses }) => uses);
}
