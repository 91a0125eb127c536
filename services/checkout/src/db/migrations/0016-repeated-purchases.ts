import { Migration } from '@app/service-kit/migrations';

/**
 * buyer_digests       of a try: digests of the buyer's browser, address and card, the account's own. Kept for two days, with a
 *                     subscription until 30 days after its end.
 * repeats_order       of a try: an order that the same email paid or was paying from elsewhere; the seller is notified of it.
 * sold_subscriptions  living ones, and those that ended within 30 days: their start may be received after their end.
 */
export class RepeatedPurchases extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table checkout_tries add column buyer_digests text[], add column repeats_order text');
    this.addSql(`
      create index checkout_tries_digests on checkout_tries (created_at)
      where buyer_digests is not null and sale -> 'product' ->> 'pricingType' <> 'subscription'`);
    this.addSql(`
      create index checkouts_under_way on checkouts (account_id, lower(email), product_id)
      where status in ('processing', 'requires_action') and not test`);
    this.addSql(`
      create table sold_subscriptions (
        id text primary key,
        account_id text not null,
        order_id text not null,
        email text not null,
        product_id text not null,
        ended_at timestamptz
      )`);
    this.addSql(`
      create index sold_subscriptions_living on sold_subscriptions (account_id, email, product_id)
      where ended_at is null`);
    this.addSql('create index sold_subscriptions_ended on sold_subscriptions (ended_at) where ended_at is not null');
    this.addSql(earlierPurchases);
  }
}

/**
 * Of each buyer, email (lower case) and product: a purchase that was paid since a time, is under way, or lives on as a
 * subscription; rather one that has a digest in common with the try (`same`). It locks buyers first and reads afterwards, in
 * a statement of its own, so that of two tries of one buyer at the same time the second sees the first. Buyers are locked in one
 * order, before any checkout. The planner is kept to look-ups in indexes, whatever it thinks of the sizes of tables.
 */
const earlierPurchases = `
  create function earlier_purchases(tries json) returns table (checkout_id text, order_id text, same boolean)
  language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  begin
    perform pg_advisory_xact_lock(key) from (
      select distinct hashtextextended(concat_ws(' ', t.account_id, t.product_id, t.email), 16) as key
      from json_to_recordset(tries) as t(account_id text, email text, product_id text) order by key
    ) as buyers;
    return query
      select t.id, e.order_id, e.same
      from json_to_recordset(tries) as t(id text, account_id text, email text, product_id text, digests text[],
        since timestamptz)
      cross join lateral (
        select p.order_id, coalesce((
          select y.buyer_digests && t.digests from checkouts as c
          join checkout_tries as y on y.checkout_id = c.id and y.try_no = c.try_no
          where c.account_id = t.account_id and c.order_id = p.order_id), false) as same
        from (
          select o.id as order_id from orders as o
          where o.account_id = t.account_id and lower(o.customer_email) = t.email and o.product_id = t.product_id
            and not o.test and o.status in ('paid', 'authorized') and coalesce(o.paid_at, o.created_at) > t.since
          union all
          select s.order_id from sold_subscriptions as s
          where s.account_id = t.account_id and s.email = t.email and s.product_id = t.product_id and s.ended_at is null
          union all
          select c.order_id from checkouts as c
          where c.account_id = t.account_id and lower(c.email) = t.email and c.product_id = t.product_id
            and c.status in ('processing', 'requires_action') and not c.test and c.id <> t.id
        ) as p
        order by same desc limit 1
      ) as e;
  end $$`;
