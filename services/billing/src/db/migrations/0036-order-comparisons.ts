import { Migration } from '@app/service-kit/migrations';

/**
 * order_comparisons  until when an account's orders were compared with their payments and subscriptions.
 * order_differences  orders that differ from them, each told once for each thing that it says; deleted when both agree.
 */
export class OrderComparisons extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      create table order_comparisons (
        account_id text primary key,
        compared_until timestamptz not null
      )`);
    this.addSql(`
      create table order_differences (
        account_id text not null,
        order_id text not null,
        detail text not null,
        found_at timestamptz not null,
        primary key (account_id, order_id)
      )`);
  }
}
