import { Migration } from '@app/service-kit/migrations';

/**
 * subscriptions  `next_charge_at` is when the next charge falls due, and null when none will: paused, canceled, external.
 *                `failed_tries` counts those of the current renewal. `hard_declined`: the card is lost, stolen or expired,
 *                so the processor is not asked again until the card changes. `free_try`: the next try does not count.
 *                `processor` and `last_four` are those of `payment_method`; before it is charged they may not be known.
 * renewals       one row for each subscription and period after the first: what no repetition can charge twice.
 *                `run_id` is the daily run that claimed it last: one run tries it once.
 * payments       step `renewal` has the order that the subscription was born from, and the period's number as its subject.
 */
export class Renewals extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      alter table subscriptions
        add column next_charge_at timestamptz,
        add column failed_tries integer not null default 0 check (failed_tries between 0 and 4),
        add column hard_declined boolean not null default false,
        add column free_try boolean not null default false,
        add column paused_at timestamptz,
        add column processor text,
        add column last_four text`);
    this.addSql(`
      update subscriptions as s set processor = m.processor, last_four = m.last_four
      from payment_methods as m
      where m.account_id = s.account_id and m.order_id = s.order_id and m.method = s.payment_method`);
    this.addSql(`
      update subscriptions set next_charge_at = current_period_end
      where status = 'active' and collection = 'automatic'`);
    this.addSql(`
      alter table subscriptions
        add constraint only_automatic_ones_are_charged check (next_charge_at is null or collection = 'automatic'),
        add constraint paused_has_time check ((status = 'paused') = (paused_at is not null)),
        add constraint charged_while_alive check (next_charge_at is null or status in ('active', 'past_due'))`);
    this.addSql('drop index subscriptions_due');
    this.addSql(`
      create index subscriptions_due on subscriptions (account_id, test, next_charge_at, id)
      where next_charge_at is not null`);
    this.addSql(`
      create table renewals (
        account_id text not null,
        subscription_id text not null references subscriptions (id),
        period integer not null check (period >= 2),
        starts_at timestamptz not null,
        ends_at timestamptz not null,
        amount_cents bigint not null check (amount_cents >= 0),
        currency text not null,
        status text not null check (status in ('processing', 'paid', 'failed')),
        run_id text not null,
        payment_id text references payments (id),
        paid_at timestamptz,
        primary key (account_id, subscription_id, period),
        constraint a_period_has_length check (ends_at > starts_at),
        constraint paid_has_time check ((status = 'paid') = (paid_at is not null))
      )`);
    this.addSql(`
      alter table payments drop constraint payments_step_check,
        add constraint payments_step_check
          check (step in ('main', 'capture', 'upsell', 'recharge', 'refund', 'release', 'renewal'))`);
  }
}
