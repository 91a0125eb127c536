import { Migration } from '@app/service-kit/migrations';

const totals = `orders, order_cents, revenue_cents, bump_orders, upsell_shown_orders, upsell_orders, checkout_orders, views,
  refunds, refunded_cents, active_subscriptions, mrr_cents`;

/** The sums of the facts `f` by day, as this version counts them. */
const sums = `
  count(*) filter (where kind = 'order_paid'),
  coalesce(sum(amount_cents) filter (where kind = 'order_paid'), 0),
  coalesce(sum(amount_cents) filter (where kind in ('order_paid', 'subscription_rebilled')), 0),
  count(*) filter (where kind = 'order_paid' and has_bump),
  count(*) filter (where kind = 'order_paid' and upsell_shown),
  count(*) filter (where kind = 'order_paid' and has_upsell),
  count(*) filter (where kind = 'order_paid' and from_checkout),
  count(*) filter (where kind = 'checkout_visited'),
  count(*) filter (where kind in ('order_refunded', 'payment_refunded') and ('counted_before' = any (marks)) is not true)
    - count(*) filter (where kind in ('order_reopened', 'payment_reopened')
      and ('counted_before' = any (marks)) is not true),
  coalesce(sum(amount_cents) filter (where kind in ('order_refunded', 'payment_refunded')), 0)
    - coalesce(sum(amount_cents) filter (where kind in ('order_reopened', 'payment_reopened')), 0),
  coalesce(sum(coalesce(active_delta,
    case kind when 'subscription_started' then 1 when 'subscription_canceled' then -1 else 0 end)), 0),
  coalesce(sum(mrr_cents), 0)`;

const factColumns = `account_id, product_id, kind, occurred_at, amount_cents, mrr_cents, active_delta, marks, has_bump,
  has_upsell, upsell_shown, from_checkout`;
const insertDays = (facts: string): string => `
  insert into product_days as t (account_id, generation, day, product_id, ${totals})
  select account_id, coalesce(g.generation, 0), (occurred_at at time zone 'UTC')::date, product_id, ${sums}
  from (${facts}) as f left join rollup_generations as g using (account_id)
  group by 1, 2, 3, 4 order by 1, 2, 3, 4`;

const additions = totals
  .split(',')
  .map((column) => `${column.trim()} = t.${column.trim()} + excluded.${column.trim()}`)
  .join(', ');

/**
 * product_days             sums over the facts of a product by UTC day, with the columns of `product_totals`, so that a span
 *                          of days costs one row for each day and product. Days that are over are read only: their pages
 *                          need less room for new row versions than those of the other roll-ups.
 * product_totals.currency  that of the product's facts; null before the first one that has any.
 * facts.counted_by_day     whether the statement that recorded the fact added it to its day. Versions before this one do not:
 *                          while their replicas still run beside this version's, the trigger adds what they record. It
 *                          costs other facts a look at one column.
 *
 * What is there is counted here, once. No service records meanwhile, so that no fact is missed or counted twice.
 */
export class ProductDays extends Migration {
  override up(): void {
    this.addSql(`
      create table product_days (
        account_id text not null,
        generation integer not null,
        day date not null,
        product_id text not null,
        ${totals
          .split(',')
          .map((column) => `${column.trim()} bigint not null`)
          .join(', ')},
        primary key (account_id, generation, day, product_id)
      ) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000)`);
    this.addSql('alter table facts add column counted_by_day boolean not null default true');
    this.addSql('alter table facts alter column counted_by_day set default false');
    this.addSql(insertDays(`select ${factColumns} from facts where not test`));
    this.addSql('alter table product_totals add column currency text');
    this.addSql(`
      update product_totals as t set currency = f.currency
      from (select account_id, product_id, min(currency) as currency from facts where not test group by 1, 2) as f
      where t.account_id = f.account_id and t.product_id = f.product_id and f.currency is not null`);
    this.addSql(`
      create function count_fact_by_day() returns trigger language plpgsql as $$
      begin
        ${insertDays('select new.*')}
        on conflict (account_id, generation, day, product_id) do update set ${additions};
        update product_totals as t set currency = new.currency
        where t.account_id = new.account_id and t.product_id = new.product_id and t.currency is null
          and new.currency is not null;
        return null;
      end $$`);
    this.addSql(`
      create trigger facts_by_day after insert on facts for each row
      when (not new.counted_by_day and not new.test) execute function count_fact_by_day()`);
  }
}
