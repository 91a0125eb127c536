import { newId } from '@app/contracts/ids';
import { type Database, statement } from '@app/service-kit/database';
import type { Discount } from '../orders/order.rules.ts';
import type { CheckoutRow } from './checkout-row.ts';
import type { FrozenSale } from './frozen-sale.ts';

/** A try that begins: what it is for, and who asked for it. */
export interface NewTry {
  readonly row: CheckoutRow;
  readonly sale: FrozenSale;
  /** The discount whose use is to be claimed; null where none is, or where the try before has claimed it. */
  readonly claim: Discount | null;
  readonly commandId: string;
  readonly nowMs: number;
}

/** Values: account, checkout, revision, order id, time, command id, sale; with a claim: discount, its limit. */
const frozen = (condition: string, discount: string): string => `frozen as (
     update checkouts as c set status = 'processing', revision = revision + 1, try_no = try_no + 1,
       order_id = coalesce(order_id, $4), asked_at = $5, reason = null, action_url = null, discount_id = ${discount}
     where account_id = $1 and id = $2 and revision = $3 and status in ('open', 'requires_action') ${condition}
     returning account_id, id, try_no, order_id
   ), tried as (
     insert into checkout_tries (account_id, checkout_id, try_no, command_id, sale, created_at)
     select account_id, id, try_no, $6, $7::json, $5 from frozen
   )`;

/** A try after one that waited for the buyer keeps its claim. */
const freezePlain = statement(
  'checkout-freeze',
  `with ${frozen('', `case when c.status = 'open' then null else c.discount_id end`)}
   select true as due, try_no, order_id from frozen`,
);

/** A test checkout must meet the terms and takes no use, as a test order does. */
const freezeWithClaim = statement(
  'checkout-freeze-with-claim',
  `with due as (
     select test from checkouts
     where account_id = $1 and id = $2 and revision = $3 and status = 'open' for update
   ), claimed as (
     insert into discount_uses as u (account_id, discount_id, uses, room)
     select $1, $8, case when test then 0 else 1 end, $9::bigint from due
     on conflict (account_id, discount_id) do update set
       room = excluded.room - u.uses,
       uses = u.uses + greatest(0, least(excluded.uses, excluded.room - u.uses))
     returning room
   ), ${frozen('and exists (select from claimed where room is null or room > 0)', '$8')}
   select exists (select from due) as due, (select try_no from frozen) as try_no, (select order_id from frozen) as order_id`,
);

interface Frozen {
  readonly due: boolean;
  readonly try_no: number | null;
  readonly order_id: string | null;
}

/**
 * Begins a try: one statement fixes the sale, claims the discount's use and moves the checkout on.
 * @returns the checkout as it is then; `stale` when it was changed since it was read, `used up` when the discount was
 */
export async function freezeSale(database: Database, begun: NewTry): Promise<CheckoutRow | 'stale' | 'used up'> {
  const { row, sale, claim, commandId, nowMs } = begun;
  const orderId = newId('order', nowMs);
  const { account_id, id, revision } = row;
  const values = [account_id, id, revision, orderId, new Date(nowMs), commandId, JSON.stringify(sale)];
  const query = claim === null ? freezePlain(values) : freezeWithClaim([...values, claim.id, claim.maxUses]);
  const { rows } = await database.pool.query<Frozen>(query);
  const [result] = rows;
  if (!result?.due) return 'stale';
  if (result.try_no === null) return 'used up';
  const { try_no, order_id } = result;
  return {
    ...row,
    status: 'processing',
    revision: revision + 1,
    try_no,
    order_id,
    sale,
    reason: null,
    action_url: null,
  };
}
