/**
 * Parts of statements that claim a use of a discount for each row of `claims` (id, account_id, discount_id, max_uses,
 * test, position), whose ids are then in `granted` or not:
 *
 *   claimed  one update for each discount: `room` is what was left of it, `uses` grows by what the sales among them get
 *   granted  first come, first served in the batch, by `position`. A test sale must meet the terms and takes no use
 *
 * Discounts are locked in one order. Rows of one discount differ in `max_uses` only when they were priced at different moments:
 * the smallest holds, so that a limit that was lowered is never exceeded.
 */
export const claimUsesSql = `claimed as (
     insert into discount_uses as u (account_id, discount_id, uses, room)
     select account_id, discount_id, least(count(*) filter (where not test), min(max_uses)), min(max_uses)
     from claims group by account_id, discount_id order by account_id, discount_id
     on conflict (account_id, discount_id) do update set
       room = excluded.room - u.uses,
       uses = u.uses + greatest(0, least(excluded.uses, excluded.room - u.uses))
     returning account_id, discount_id, room
   ), granted as (
     select c.id from claimed join (
       select id, account_id, discount_id, count(*) filter (where not test) over (
         partition by account_id, discount_id order by position rows between unbounded preceding and 1 preceding
       ) as sales_before from claims
     ) as c using (account_id, discount_id)
     where room is null or sales_before < room
   )`;
