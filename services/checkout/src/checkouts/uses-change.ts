/**
 * What statements of checkouts add to count uses of discounts, after `changes`: rows of account_id, discount_id, change.
 * Sums are made of all changes, so every checkout of the statement is locked before the first discount, and discounts are
 * locked in one order.
 */
export const usesChange = `sums as (
     select account_id, discount_id, sum(change)::bigint as change from changes
     group by account_id, discount_id having sum(change) <> 0 order by account_id, discount_id
   ), counted_now as (
     select s.* from sums as s cross join lateral (
       select from discount_uses where account_id = s.account_id and discount_id = s.discount_id for update) as u
   ), counted as (
     update discount_uses as u set uses = greatest(u.uses + n.change, 0) from counted_now as n
     where u.account_id = n.account_id and u.discount_id = n.discount_id
   )`;
