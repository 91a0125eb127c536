/**
 * Keys begin with the account and, for parts of a product, go on with the product: one index finds both one part of a product
 * and all of them in order of creation. Foreign keys include the account, so that no row can belong to another account's product.
 * `version` counts the changes of what people edit: an update may say which version it was made from.
 *
 * products        `image_name` is the hash of the picture's bytes and its format.
 * product_images  the picture on a product's page: its public address has nothing but its name.
 */
export const products = `
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
    description text,
    image_name text,
    version integer not null default 1,
    primary key (account_id, id),
    constraint products_slug_unique unique (account_id, slug),
    constraint products_interval_of_subscriptions check (
      (pricing_type = 'subscription') = (billing_interval is not null)
    )
  );

  create table product_images (
    account_id text not null,
    product_id text not null,
    name text not null,
    bytes bytea not null check (length(bytes) <= 153600),
    primary key (account_id, product_id),
    constraint product_images_product foreign key (account_id, product_id)
      references products (account_id, id) on delete cascade
  );
  -- Pictures are compressed already.
  alter table product_images alter bytes set storage external;
  create index product_images_by_name on product_images (name)`;

/** offers, funnel_emails, discounts  what belongs to a product. */
export const partsOfProducts = `
  create table offers (
    account_id text not null,
    product_id text not null,
    id text not null,
    kind text not null check (kind in ('bump', 'upsell', 'downsell')),
    headline text not null,
    price_cents bigint not null check (price_cents >= 0),
    active boolean not null,
    version integer not null default 1,
    primary key (account_id, product_id, id),
    constraint offers_downsells_retired check (kind <> 'downsell' or not active),
    constraint offers_product foreign key (account_id, product_id)
      references products (account_id, id) on delete cascade
  );

  create table funnel_emails (
    account_id text not null,
    product_id text not null,
    id text not null,
    position integer not null check (position >= 1),
    send_day integer not null check (send_day >= 0),
    subject text not null,
    body text not null,
    version integer not null default 1,
    primary key (account_id, product_id, id),
    constraint funnel_emails_position_unique unique (account_id, product_id, position),
    constraint funnel_emails_product foreign key (account_id, product_id)
      references products (account_id, id) on delete cascade
  );

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
    version integer not null default 1,
    primary key (account_id, product_id, id),
    constraint discounts_code_unique unique (account_id, product_id, code),
    constraint discounts_one_kind check (num_nonnulls(percent_off, amount_off_cents) = 1),
    constraint discounts_product foreign key (account_id, product_id)
      references products (account_id, id) on delete cascade
  )`;
