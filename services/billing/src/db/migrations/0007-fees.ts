import { Migration } from '@app/service-kit/migrations';

/**
 * fees  what a processor kept of a charge, or took for a dispute of it, one row for each currency of these. `reference` is the processor's
 *       id of the charge or the dispute, `currency` the one in which it pays out, and `incurred_at` when the charge was made or the
 *       dispute opened. Only of live money.
 */
export class Fees extends Migration {
  override up(): void {
    this.addSql(`
      create table fees (
        account_id text not null,
        charge_id text not null,
        kind text not null check (kind in ('charge', 'dispute')),
        reference text not null,
        amount_cents bigint not null,
        currency text not null,
        incurred_at timestamptz not null,
        primary key (account_id, charge_id, kind, reference, currency)
      );
      create index fees_of_account on fees (account_id, incurred_at)`);
  }
}
