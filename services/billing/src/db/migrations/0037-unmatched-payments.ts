import { Migration } from '@app/service-kit/migrations';

/**
 * unmatched_payments  payments at the processor under ids of ours that this database does not know: it was restored from an
 *                     older backup, say. While one is not confirmed the daily run charges nothing.
 */
export class UnmatchedPayments extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      create table unmatched_payments (
        account_id text not null,
        processor text not null,
        reference text not null,
        payment_id text not null,
        kind text not null check (kind in ('hold', 'charge', 'capture', 'refund')),
        amount_cents bigint not null,
        currency text not null,
        order_id text,
        recorded_at timestamptz not null,
        found_at timestamptz not null,
        confirmed_at timestamptz,
        primary key (account_id, processor, reference)
      )`);
    this.addSql('create index unmatched_payments_by_age on unmatched_payments (found_at)');
  }
}
