import { Migration } from '@app/service-kit/migrations';

/**
 * One row for each order that was refunded or has a commission. An order counts as refunded while `refunded_no` (the number
 * of its last refund) is greater than `reopened_no` (the last of its refunds that failed afterwards): both only grow, so
 * the events may come doubled and in any order. Whoever records a commission or a refund of an order locks its row first:
 * of two at the same time the second sees what the first one did.
 */
export class OrderRefunds extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      create table order_refunds (
        account_id text not null,
        order_id text not null,
        refunded_no integer not null default 0,
        reopened_no integer not null default 0,
        primary key (account_id, order_id)
      )`);
  }
}
