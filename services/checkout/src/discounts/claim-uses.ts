import { type Client, statement } from '@app/service-kit/database';
import { columnsOf, tableOf } from '@app/service-kit/row-arrays';
import { type DiscountClaim, type DiscountRoom, grantedClaims, neededUses } from './claims.rules.ts';

const neededTypes = { account_id: 'text', discount_id: 'text', sales: 'int8', max_uses: 'int8' } as const;

// Also the conflict locks the row, so `room` is what no other transaction can take. Discounts are locked in one order.
const claimStatement = statement<DiscountRoom>(
  'discounts-claim-uses',
  `insert into discount_uses as u (account_id, discount_id, uses, room)
   select account_id, discount_id, least(sales, max_uses), max_uses from ${tableOf(neededTypes, 1)}
   order by account_id, discount_id
   on conflict (account_id, discount_id) do update set
     room = excluded.room - u.uses,
     uses = u.uses + greatest(0, least(excluded.uses, excluded.room - u.uses))
   returning account_id, discount_id, room`,
  { account_id: 'text', discount_id: 'text', room: 'int8' },
);

/**
 * Claims a use of a discount for each sale, first come, first served. Whoever claims locks checkouts before.
 * @returns the ids of the sales that got one
 */
export async function claimUses(client: Client, claims: readonly DiscountClaim[]): Promise<ReadonlySet<string>> {
  if (claims.length === 0) return new Set();
  const { rows } = await client.query(claimStatement(columnsOf(neededUses(claims), neededTypes)));
  return grantedClaims(claims, rows);
}
