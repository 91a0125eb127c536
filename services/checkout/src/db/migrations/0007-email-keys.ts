import { withoutKeyIndex } from '@app/service-kit/email-keys';
import { Migration } from '@app/service-kit/migrations';

/**
 * `email_key` is what buyers are told apart by (`emailKey` of @app/contracts); null in rows of the release before until the service
 * makes it. Indexes by `lower(…)` stay for that release, and so does `earlier_purchases`.
 *
 * purchases_of_buyers  as `earlier_purchases`, by the key. Both lock the same buyers, as long as their addresses are in ASCII.
 */
export class EmailKeys extends Migration {
  override up(): void {
    for (const table of ['orders', 'checkouts', 'sold_subscriptions', 'reminders', 'opt_outs'])
      this.addSql(`alter table ${table} add email_key text`);
    this.addSql(indexes);
    this.addSql(changedByTheReleaseBefore);
    this.addSql(purchasesOfBuyers);
  }
}

const indexes = `
  ${withoutKeyIndex('orders', 'customer_email')};
  ${withoutKeyIndex('checkouts', 'email')};
  ${withoutKeyIndex('sold_subscriptions', 'email')};
  ${withoutKeyIndex('reminders', 'email')};
  ${withoutKeyIndex('opt_outs', 'email', 'email')};
  create index orders_of_email_key on orders (account_id, email_key, product_id) where not test;
  create index rehearsals_of_email_key on orders (account_id, email_key) where test;
  create index checkouts_stalled_by_key on checkouts (account_id, email_key, product_id, created_at desc, id desc)
    where status = 'open' and email is not null and not test;
  create index checkouts_under_way_by_key on checkouts (account_id, email_key, product_id)
    where status in ('processing', 'requires_action') and not test;
  create index sold_subscriptions_living_by_key on sold_subscriptions (account_id, email_key, product_id)
    where ended_at is null;
  create index reminders_of_key on reminders (account_id, email_key, product_id);
  create index opt_outs_of_key on opt_outs (account_id, email_key)`;

/** The release before writes another address beside the key of the first one. */
const changedByTheReleaseBefore = `
  create function forget_email_key() returns trigger language plpgsql as $$
  begin
    new.email_key := null;
    return new;
  end $$;
  create trigger checkouts_forget_email_key before update of email on checkouts for each row
    when (new.email is distinct from old.email and new.email_key is not distinct from old.email_key)
    execute function forget_email_key()`;

const purchasesOfBuyers = `
  create function purchases_of_buyers(attempts json) returns table (checkout_id text, order_id text, same boolean)
  language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
  set plan_cache_mode = force_generic_plan as $$
  begin
    perform pg_advisory_xact_lock(key) from (
      select distinct hashtextextended(concat_ws(' ', t.account_id, t.product_id, t.email_key), 16) as key
      from json_to_recordset(attempts) as t(account_id text, email_key text, product_id text) order by key
    ) as buyers;
    return query
      select t.id, e.order_id, e.same
      from json_to_recordset(attempts) as t(id text, account_id text, email_key text, product_id text, digests text[],
        since timestamptz)
      cross join lateral (
        select p.order_id, coalesce((
          select y.buyer_digests && t.digests from checkouts as c
          join checkout_attempts as y on y.checkout_id = c.id and y.attempt_no = c.attempt_no
          where c.account_id = t.account_id and c.order_id = p.order_id), false) as same
        from (
          select o.id as order_id from orders as o
          where o.account_id = t.account_id and o.email_key = t.email_key and o.product_id = t.product_id
            and not o.test and o.status in ('paid', 'authorized') and coalesce(o.paid_at, o.created_at) > t.since
          union all
          select s.order_id from sold_subscriptions as s
          where s.account_id = t.account_id and s.email_key = t.email_key and s.product_id = t.product_id
            and s.ended_at is null
          union all
          select c.order_id from checkouts as c
          where c.account_id = t.account_id and c.email_key = t.email_key and c.product_id = t.product_id
            and c.status in ('processing', 'requires_action') and not c.test and c.id <> t.id
        ) as p
        order by same desc limit 1
      ) as e;
  end $$`;
