import { statement } from '@app/service-kit/database';

/**
 * What changes whether a subscription wants its renewal lets one that its buyer may still confirm be looked up at once: it is given
 * up then, where it is not wanted. In the transaction of the change, after the locks of subscriptions; the order in
 * which it locks is that of the transaction that records answers.
 * $1 accounts and $2 orders, in pairs
 */
export const hurryRenewalsStatement = statement(
  'payments-hurry-renewals',
  `with waiting as materialized (
     select p.id from unnest($1::text[], $2::text[]) as o(account_id, order_id)
     join payments as p on p.account_id = o.account_id and p.order_id = o.order_id
     where p.step = 'renewal' and p.next_check_at > p.sent_at and p.request -> 'confirmation' is not null
     order by p.id for no key update of p
   )
   update payments as p set next_check_at = p.sent_at from waiting as w where p.id = w.id and p.next_check_at is not null`,
);
