import { Migration } from '@app/service-kit/migrations';

/**
 * refunds  one row for each refund of an order that was asked for, written before billing is asked. `requested` until
 *          billing says how it ended; `failed` may be followed by a refund with the next number. `failed_at` is when a
 *          refund that was taken failed afterwards, by billing's clock: what billing said before that is void.
 */
export class Refunds extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      create table refunds (
        id text primary key,
        account_id text not null,
        order_id text not null references orders,
        refund_no integer not null,
        status text not null check (status in ('requested', 'done', 'failed')),
        refunded_cents bigint,
        detail text,
        request_id text not null,
        asked_at timestamptz not null,
        created_at timestamptz not null,
        finished_at timestamptz,
        failed_at timestamptz,
        unique (order_id, refund_no)
      )`);
    this.addSql(`create unique index refunds_one_open on refunds (order_id) where status = 'requested'`);
    this.addSql(`create index refunds_requested on refunds (asked_at) where status = 'requested'`);
  }
}
