import { messagingTables } from '@app/messaging/tables';
import { Migration } from '@app/service-kit/migrations';

/**
 * subscriptions  one for each order that bought one. Period n ends n intervals after `anchor`; `period` is the current
 *                one's n. `payment_method` is a processor's token: never returned, never logged.
 * daily_runs     one row for each daily run of an account, and one without account for a run over all.
 *                Running: finished_at null. Done: result. Interrupted: finished_at without a result.
 */
export class Initial extends Migration {
  override async up(): Promise<void> {
    this.addSql(messagingTables);
    this.addSql(`
      create table subscriptions (
        id text primary key,
        account_id text not null,
        order_id text not null,
        product_id text not null,
        product_name text not null,
        customer_email text not null,
        amount_cents bigint not null check (amount_cents >= 0),
        currency text not null,
        billing_interval text not null check (billing_interval in ('month', 'year')),
        status text not null check (status in ('active', 'past_due', 'paused', 'canceled')),
        collection text not null check (collection in ('automatic', 'external')),
        payment_method text,
        anchor timestamptz not null,
        period integer not null check (period >= 1),
        current_period_end timestamptz not null check (current_period_end > anchor),
        started_at timestamptz not null,
        canceled_at timestamptz,
        test boolean not null,
        unique (account_id, order_id),
        constraint automatic_has_payment_method check (collection = 'external' or payment_method is not null),
        constraint canceled_has_time check ((status = 'canceled') = (canceled_at is not null))
      )`);
    this.addSql('create index subscriptions_listed on subscriptions (account_id, id desc) where not test');
    this.addSql(`
      create index subscriptions_due on subscriptions (account_id, current_period_end)
      where status = 'active' and collection = 'automatic' and not test`);
    this.addSql(`
      create table daily_runs (
        id text primary key,
        account_id text,
        platform_run_id text,
        started_at timestamptz not null,
        finished_at timestamptz,
        result jsonb,
        constraint result_is_of_a_finished_run check (result is null or finished_at is not null)
      )`);
    this.addSql('create index daily_runs_listed on daily_runs (account_id, id desc)');
    this.addSql('create index daily_runs_running on daily_runs (account_id) where finished_at is null');
    this.addSql(`
      create index daily_runs_of_platform on daily_runs (platform_run_id, account_id) where platform_run_id is not null`);
  }
}
