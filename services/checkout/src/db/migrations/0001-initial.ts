import { messagingTables } from '@app/messaging/tables';
import { Migration } from '@app/service-kit/migrations';

/**
 * An order's lines are written and read with the order, never alone. So they are one json column in the published shape, and
 * the schema checks that their sum is the total.
 */
export class Initial extends Migration {
  override async up(): Promise<void> {
    this.addSql(messagingTables);
    this.addSql(`
      create function order_items_total(items json) returns bigint language sql immutable strict as
      $$ select coalesce(sum((item ->> 'amount_cents')::bigint), 0)::bigint from json_array_elements(items) as item $$`);
    this.addSql(`
      create table orders (
        id text primary key,
        account_id text not null,
        product_id text not null,
        customer_email text not null,
        customer_name text not null,
        total_cents bigint not null check (total_cents >= 0),
        currency text not null,
        status text not null check (status in ('paid', 'refunded', 'authorized')),
        utm_source text,
        utm_medium text,
        utm_campaign text,
        utm_term text,
        utm_content text,
        country text,
        affiliate_code text,
        discount_id text,
        source text not null check (source in ('api', 'checkout')),
        test boolean not null,
        items json not null,
        created_at timestamptz not null,
        constraint total_is_sum_of_items check (total_cents = order_items_total(items))
      )`);
    this.addSql('create index orders_listed on orders (account_id, id desc) where not test');
    this.addSql(`
      create table discount_uses (
        account_id text not null,
        discount_id text not null,
        uses bigint not null,
        primary key (account_id, discount_id)
      )`);
  }
}
