import { idTimeMs, newId } from '@app/contracts/ids';
import { statement } from '@app/service-kit/database';
import { claimUsesSql } from '../discounts/claim-uses-sql.ts';
import type { Discount } from '../orders/order.rules.ts';
import type { CheckoutRow, Queryable } from './checkout-row.ts';
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

/**
 * One statement for tries that begin at the same time:
 *
 *   due      checkouts that were not changed since they were priced, locked in the order of their ids
 *   claims   those of them that need a use of a discount; those that get one are in `granted`
 *   frozen   a try after one that waited for the buyer keeps its claim
 *
 * Checkouts are locked before discounts: the claim is made of all that are due. `locked_id` is `id` again: the planner takes
 * the comparison for rare, expects one row and looks it up. It may choose to read all checkouts for the hundred rows that it
 * expects of any JSON. Other statements compare ids for the same reason.
 */
const freezeStatement = statement(
  'checkouts-freeze',
  `with incoming as (
     select * from rows from (json_to_recordset($1::json) as (
       account_id text, id text, revision integer, order_id text, asked_at timestamptz, command_id text, sale json,
       claim_id text, claim_max bigint, place integer, renews boolean)) as i order by id
   ), due as materialized (
     select i.*, c.test, c.status, c.id as locked_id from incoming as i cross join lateral (
       select id, test, status from checkouts
       where account_id = i.account_id and id = i.id and revision = i.revision
         and (status = 'open' or (status = 'requires_action' and i.claim_id is null))
       for update) as c
   ), claims as (
     select id, account_id, claim_id as discount_id, claim_max as max_uses, test, place from due where claim_id is not null
   ), ${claimUsesSql}, frozen as (
     update checkouts as c set status = 'processing', revision = c.revision + 1, try_no = c.try_no + 1,
       order_id = case when d.renews then d.order_id else coalesce(c.order_id, d.order_id) end, asked_at = d.asked_at, reason = null, action_url = null,
       discount_id = case when d.status = 'open' then d.claim_id else c.discount_id end
     from due as d
     where c.account_id = d.account_id and c.id = d.id and d.id = d.locked_id
       and (d.claim_id is null or d.id in (select id from granted))
     returning c.account_id, c.id, c.try_no, c.order_id, d.command_id, d.sale, d.asked_at
   ), tried as (
     insert into checkout_tries (account_id, checkout_id, try_no, command_id, sale, created_at)
     select account_id, id, try_no, command_id, sale, asked_at from frozen
   )
   select d.id, f.try_no, f.order_id from due as d left join frozen as f on f.id = d.id`,
);

interface Frozen {
  readonly id: string;
  /** Null when the discount was used up. */
  readonly try_no: number | null;
  readonly order_id: string | null;
}

/**
 * Begins tries: one statement fixes their sales, claims the discounts' uses and moves the checkouts on. Of two tries of
 * one checkout the first one begins.
 * @returns each checkout as it is then; `stale` when it was changed since it was read, `used up` when the discount was
 */
export async function freezeSales(
  db: Queryable,
  tries: readonly NewTry[],
): Promise<(CheckoutRow | 'stale' | 'used up')[]> {
  const firsts = new Map(tries.toReversed().map((begun) => [begun.row.id, begun]));
  const incoming = tries.filter((begun) => firsts.get(begun.row.id) === begun).map(incomingOf);
  const { rows } = await db.query<Frozen>(freezeStatement([JSON.stringify(incoming)]));
  const byId = new Map(rows.map((frozen) => [frozen.id, frozen]));
  return tries.map((begun) => (firsts.get(begun.row.id) === begun ? begunOf(begun, byId.get(begun.row.id)) : 'stale'));
}

/** Within it a buyer looks for another card, and the order's payments show what was tried. */
const sameOrderMs = 3_600_000;

/**
 * Whether a try gets an order id of its own. An order's place in lists and its date are in its id: one that is paid days
 * after a declined try must not lie below newer ones. Only after a definite no: else the first id keeps out a second charge.
 */
const renewsOrder = ({ order_id, status, reason }: CheckoutRow, nowMs: number): boolean =>
  order_id !== null && status === 'open' && reason === 'card_declined' && idTimeMs(order_id) < nowMs - sameOrderMs;

function incomingOf({ row, sale, claim, commandId, nowMs }: NewTry, place: number) {
  const { account_id, id, revision } = row;
  return {
    ...{ account_id, id, revision, sale, place, command_id: commandId },
    order_id: newId('order', nowMs),
    renews: renewsOrder(row, nowMs),
    asked_at: new Date(nowMs),
    claim_id: claim?.id ?? null,
    claim_max: claim?.maxUses ?? null,
  };
}

function begunOf({ row, sale }: NewTry, frozen: Frozen | undefined): CheckoutRow | 'stale' | 'used up' {
  if (frozen === undefined) return 'stale';
  const { try_no, order_id } = frozen;
  if (try_no === null) return 'used up';
  const revision = row.revision + 1;
  return { ...row, status: 'processing', revision, try_no, order_id, sale, reason: null, action_url: null };
}
