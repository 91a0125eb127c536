import { messagingTables } from '@app/messaging/tables';
import { Migration } from '@app/service-kit/migrations';

/**
 * facts           one row for each order paid and each subscription started, never changed, whatever ids their events
 *                 have. Test orders have rows too; the roll-ups skip them.
 * product_totals  sums over all facts of a product.
 * product_months  the same by UTC month; `…_delta` columns are changes, so that a month's end is the sum up to it.
 * customers       who ever bought a product: SHA-256 of the lower-cased email, to count each person once.
 *
 * Roll-ups are sums of facts alone, so facts may arrive in any order, and `rebuild` gives the same numbers. They are
 * updated in place all the time, so their pages are half empty: new row versions fit beside the old ones, and the indexes
 * need no update.
 */
export class Initial extends Migration {
  override async up(): Promise<void> {
    this.addSql(messagingTables);
    this.addSql(`
      create table facts (
        event_id text primary key,
        account_id text not null,
        product_id text not null,
        subject_id text not null,
        kind text not null,
        occurred_at timestamptz not null,
        test boolean not null,
        currency text not null,
        amount_cents bigint not null,
        mrr_cents bigint not null,
        email_key bytea,
        has_bump boolean not null,
        has_upsell boolean not null,
        from_checkout boolean not null
      )`);
    this.addSql(`
      create unique index facts_once on facts (account_id, kind, subject_id)
      where kind in ('order_paid', 'subscription_started')`);
    this.addSql(`
      create table product_totals (
        account_id text not null,
        product_id text not null,
        orders bigint not null default 0,
        order_cents bigint not null default 0,
        revenue_cents bigint not null default 0,
        bump_orders bigint not null default 0,
        upsell_shown_orders bigint not null default 0,
        upsell_orders bigint not null default 0,
        checkout_orders bigint not null default 0,
        views bigint not null default 0,
        refunds bigint not null default 0,
        refunded_cents bigint not null default 0,
        active_subscriptions bigint not null default 0,
        mrr_cents bigint not null default 0,
        customers bigint not null default 0,
        primary key (account_id, product_id)
      ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000)`);
    this.addSql(`
      create table product_months (
        account_id text not null,
        product_id text not null,
        month text not null check (month ~ '^[0-9]{4}-[0-9]{2}$'),
        revenue_cents bigint not null default 0,
        mrr_delta_cents bigint not null default 0,
        active_delta bigint not null default 0,
        started_subscriptions bigint not null default 0,
        canceled_subscriptions bigint not null default 0,
        primary key (account_id, product_id, month)
      ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000)`);
    this.addSql(`
      create table customers (
        account_id text not null,
        product_id text not null,
        email_key bytea not null,
        primary key (account_id, product_id, email_key)
      )`);
  }
}
