import { Migration } from '@app/service-kit/migrations';

/**
 * checkouts       what a buyer is buying. `revision` counts its changes: whoever priced an older one prices again.
 *                 `secret_hashes` are the SHA-256 hashes of the secrets that opened it: a repeated command adds its own.
 *                 `discount_id` is the discount whose use the try under way claimed. `asked_at` is when billing was last
 *                 asked about a try that is under way.
 * checkout_tries  one row for each try to pay, with the sale as it was then: what is charged late is what was agreed.
 * visits          who came to a product's checkout on a day; kept for two days.
 *
 * Statements lock checkouts first, then discount uses, then orders.
 */
export class Checkouts extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      alter table orders
        add column paid_at timestamptz,
        add column refunded_at timestamptz,
        drop constraint orders_status_check,
        add constraint orders_status_check check (status in ('paid', 'refunded', 'authorized', 'expired'))`);
    this.addSql(`
      create table checkouts (
        id text primary key,
        account_id text not null,
        secret_hashes bytea[] not null,
        status text not null check (
          status in ('open', 'processing', 'requires_action', 'authorized', 'paid', 'refunded', 'expired')),
        revision integer not null default 0,
        product_id text not null,
        product_slug text not null,
        seller_name text not null,
        support_email text not null,
        decision_minutes integer not null,
        test boolean not null,
        email text,
        name text,
        country text,
        bump_ids text[] not null,
        discount_code text,
        affiliate_code text,
        utm_source text,
        utm_medium text,
        utm_campaign text,
        utm_term text,
        utm_content text,
        shown_cents bigint not null,
        order_id text unique,
        try_no integer not null default 0,
        discount_id text,
        action_url text,
        reason text,
        upsell_status text check (
          upsell_status in ('offered', 'accepted', 'declined', 'card_declined', 'not_decided')),
        asked_at timestamptz,
        created_at timestamptz not null
      )`);
    this.addSql(`create index checkouts_processing on checkouts (asked_at) where status = 'processing'`);
    this.addSql(`create index checkouts_open on checkouts (created_at) where status = 'open'`);
    this.addSql(
      `create index checkouts_unpaid on checkouts (created_at) where status = 'expired' and upsell_status is null`,
    );
    this.addSql(`
      create table checkout_tries (
        account_id text not null,
        checkout_id text not null references checkouts on delete cascade,
        try_no integer not null,
        command_id text not null,
        sale json not null,
        reason text,
        created_at timestamptz not null,
        primary key (checkout_id, try_no),
        unique (checkout_id, command_id)
      )`);
    this.addSql(`
      create table visits (
        account_id text not null,
        product_id text not null,
        day date not null,
        visitor text not null,
        test boolean not null,
        primary key (account_id, product_id, day, visitor, test)
      )`);
    this.addSql('create index visits_day on visits (day)');
  }
}
