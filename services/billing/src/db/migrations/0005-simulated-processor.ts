import { Migration } from '@app/service-kit/migrations';

/**
 * The books of the simulated processor, an outside party: no statement of ours joins them with our tables.
 *
 * entries   one row for each idempotency key that arrived. `test` rows are a world of their own. `about` is the reference of the hold or
 *           charge that a capture, refund or release is for. What becomes of an entry afterwards (the buyer confirmed or
 *           refused, it was released, the refund failed) is `later_status` from `later_at` on, which may be in the future.
 *           `taken_cents`: captured of a hold, refunded of a charge or capture; `pending_cents`: refunds that are going
 *           to fail at `pending_until`. `traits`: how the card goes on (simulated-cards.rules.ts). `sendings`: how often
 *           the key arrived.
 * lost_sendings  keys whose first sending got lost on its way here.
 */
export class SimulatedProcessor extends Migration {
  override async up(): Promise<void> {
    this.addSql('create schema simulated_processor');
    this.addSql(`
      create table simulated_processor.entries (
        seq bigint generated always as identity primary key,
        account_id text not null,
        test boolean not null,
        payment_id text not null,
        reference text not null unique,
        kind text not null check (kind in ('hold', 'charge', 'capture', 'refund', 'release')),
        status text not null check (status in ('succeeded', 'declined', 'requires_action')),
        reason text,
        amount_cents bigint not null check (amount_cents > 0),
        currency text not null check (currency ~ '^[a-z]{3}$'),
        order_id text not null,
        about text,
        parameters text not null,
        sendings integer not null default 1,
        last_four text,
        saved_method text,
        traits jsonb not null default '{}',
        action_url text,
        recorded_at timestamptz not null,
        capture_before timestamptz,
        released_at timestamptz,
        later_status text check (later_status in ('succeeded', 'declined', 'failed')),
        later_reason text,
        later_at timestamptz,
        taken_cents bigint not null default 0,
        pending_cents bigint not null default 0,
        pending_until timestamptz,
        unique (account_id, test, payment_id),
        constraint taken_within_amount check (taken_cents + pending_cents <= amount_cents),
        constraint declined_has_reason check ((status = 'declined') = (reason is not null)),
        constraint later_has_time check ((later_status is null) = (later_at is null))
      )`);
    this.addSql(`
      create unique index entries_saved_method on simulated_processor.entries (saved_method)
      where saved_method is not null`);
    this.addSql('create index entries_listed on simulated_processor.entries (account_id, test, recorded_at, seq)');
    this.addSql(`
      create index entries_listed_later on simulated_processor.entries (account_id, test, later_at, seq)
      where later_at is not null`);
    this.addSql(`
      create table simulated_processor.lost_sendings (
        account_id text not null,
        test boolean not null,
        payment_id text not null,
        primary key (account_id, test, payment_id)
      )`);
  }
}
