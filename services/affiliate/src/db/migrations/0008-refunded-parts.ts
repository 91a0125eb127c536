import { Migration } from '@app/service-kit/migrations';

/**
 * refunded_parts    what has gone back of an order's own payments (`part` is ''), or of a renewal (its subscription and
 *                   period), of how much. The highest `change_no` is the newest state.
 * commissions.part  of a clawback of a renewal's commission, or of what takes that back, the same; '' for all others.
 */
export class RefundedParts extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      create table refunded_parts (
        account_id text not null,
        order_id text not null,
        part text not null,
        change_no integer not null,
        refunded_cents bigint not null,
        of_cents bigint not null,
        primary key (account_id, order_id, part)
      )`);
    this.addSql(`alter table commissions add column part text not null default ''`);
  }
}
