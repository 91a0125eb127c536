import { Migration } from '@app/service-kit/migrations';

/**
 * payment_refunds         what went back of payments for an order and for renewals of its subscription, one row for each
 *                         refund that billing reported; `failed` when it failed afterwards, also when that is known first:
 *                         then nothing else is known. `period` is that of a renewal.
 * orders.refunded_cents   what went back of the order itself, in minor units. 0 for refunds of earlier versions.
 * orders.given_back_cents the same, with what went back of renewals.
 * orders.refund_changes   how often these changed: consumers take the highest number.
 * refunds.attempt         counts the requests of the seller, over all refunds of the order.
 * refunds.renewals        whether renewals were requested too.
 * refunds.uncounted_cents what `order.refunded` adds to the money that went back: what no event of a payment said. Null for
 *                         refunds of earlier versions, which add all of it.
 */
export class PaymentRefunds extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      create table payment_refunds (
        account_id text not null,
        order_id text not null references orders,
        refund_id text not null,
        payment_id text,
        amount_cents bigint not null,
        charged_cents bigint,
        subscription_id text,
        period integer,
        failed boolean not null default false,
        refunded_at timestamptz not null,
        primary key (account_id, order_id, refund_id)
      )`);
    this.addSql(`
      alter table orders add column refunded_cents bigint not null default 0,
        add column given_back_cents bigint not null default 0,
        add column refund_changes integer not null default 0`);
    this.addSql(`
      alter table refunds add column attempt integer not null default 1,
        add column renewals boolean not null default false,
        add column uncounted_cents bigint`);
  }
}
