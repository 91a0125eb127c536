import { Migration } from '@app/service-kit/migrations';

/**
 * reminders       the latest reminder of a buyer (lower-cased email) about a product: one row, so that no two jobs send
 *                 one each. `sent_at` is set before the email is handed over: from then on it counts as sent, until the mail
 *                 server refuses it. `counted_at` is when its checkout was counted as recovered.
 * opt_out_tokens  hashes of the tokens in opt-out links, of every reminder that went out.
 * opt_outs        buyers who want no reminders of a seller. They stay.
 * reminder_runs   runs of an account's reminders, and of all accounts ('').
 *
 * `active_at` of a checkout is when its buyer changed it last. Statements lock checkouts before reminders.
 */
export class Reminders extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table checkouts add column active_at timestamptz');
    this.addSql(`
      create index checkouts_stalled on checkouts (account_id, lower(email), product_id, created_at desc, id desc)
      where status = 'open' and email is not null and not test`);
    this.addSql(
      'create index orders_of_buyer on orders (account_id, lower(customer_email), product_id) where not test',
    );
    this.addSql(`
      create table reminders (
        account_id text not null,
        email text not null,
        product_id text not null,
        id text not null unique,
        checkout_id text not null,
        status text not null check (status in ('claimed', 'sending', 'sent', 'failed')),
        link_hash bytea not null,
        token_hash bytea not null,
        claimed_until timestamptz not null,
        sent_at timestamptz,
        detail text,
        counted_at timestamptz,
        primary key (account_id, email, product_id),
        check ((status in ('sending', 'sent')) = (sent_at is not null))
      )`);
    this.addSql(`
      create index reminders_to_count on reminders (account_id, checkout_id)
      where sent_at is not null and counted_at is null`);
    this.addSql('create index reminders_claimed_until on reminders (claimed_until)');
    this.addSql(`
      create table opt_out_tokens (
        token_hash bytea primary key,
        account_id text not null,
        email text not null,
        created_at timestamptz not null
      )`);
    this.addSql('create index opt_out_tokens_created on opt_out_tokens (created_at)');
    this.addSql(`
      create table opt_outs (
        account_id text not null,
        email text not null,
        opted_out_at timestamptz not null,
        primary key (account_id, email)
      )`);
    this.addSql(`
      create table reminder_runs (
        id text primary key,
        account_id text not null,
        platform_run_id text,
        started_at timestamptz not null,
        finished_at timestamptz,
        result json
      )`);
    this.addSql('create index reminder_runs_of_platform on reminder_runs (platform_run_id, account_id)');
    this.addSql('create index reminder_runs_under_way on reminder_runs (account_id) where finished_at is null');
    this.addSql('create index reminder_runs_started on reminder_runs (started_at)');
  }
}
