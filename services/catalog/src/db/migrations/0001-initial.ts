import { messagingTables } from '@app/messaging/tables';
import { Migration } from '@app/service-kit/migrations';

/**
 * Keys begin with the account and, for parts of a product, go on with the product: one index finds both one part of a
 * product and all of them in order of creation. Foreign keys include the account, so that no row can belong to another
 * account's product.
 */
export class Initial extends Migration {
  override async up(): Promise<void> {
    this.addSql(messagingTables);
    this.addSql(products);
    this.addSql(offers);
    this.addSql(funnelEmails);
    this.addSql(discounts);
  }
}

const products = `
  create table products (
    account_id text not null,
    id text not null,
    name text not null,
    slug text not null,
    price_cents bigint not null check (price_cents >= 0),
    currency text not null check (currency ~ '^[a-z]{3}$'),
    pricing_type text not null check (pricing_type in ('onetime', 'subscription')),
    billing_interval text check (billing_interval in ('month', 'year')),
    status text not null check (status in ('draft', 'live', 'archived')),
    access_url text,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    primary key (account_id, id),
    constraint products_slug_unique unique (account_id, slug),
    constraint products_interval_of_subscriptions
      check ((pricing_type = 'subscription') = (billing_interval is not null))
  )`;

const offers = `
  create table offers (
    account_id text not null,
    product_id text not null,
    id text not null,
    kind text not null check (kind in ('bump', 'upsell', 'downsell')),
    headline text not null,
    price_cents bigint not null check (price_cents >= 0),
    active boolean not null,
    primary key (account_id, product_id, id),
    constraint offers_downsells_retired check (kind <> 'downsell' or not active),
    constraint offers_product foreign key (account_id, product_id) references products (account_id, id) on delete cascade
  )`;

const funnelEmails = `
  create table funnel_emails (
    account_id text not null,
    product_id text not null,
    id text not null,
    position integer not null check (position >= 1),
    send_day integer not null check (send_day >= 0),
    subject text not null,
    body text not null,
    primary key (account_id, product_id, id),
    constraint funnel_emails_position_unique unique (account_id, product_id, position),
    constraint funnel_emails_product foreign key (account_id, product_id) references products (account_id, id) on delete cascade
  )`;

const discounts = `
  create table discounts (
    account_id text not null,
    product_id text not null,
    id text not null,
    code text not null check (code = upper(code)),
    percent_off integer check (percent_off between 1 and 100),
    amount_off_cents bigint check (amount_off_cents >= 1),
    expires_at timestamptz(3),
    max_uses bigint check (max_uses >= 1),
    created_at timestamptz(3) not null,
    primary key (account_id, product_id, id),
    constraint discounts_code_unique unique (account_id, product_id, code),
    constraint discounts_one_kind check (num_nonnulls(percent_off, amount_off_cents) = 1),
    constraint discounts_product foreign key (account_id, product_id) references products (account_id, id) on delete cascade
  )`;
