import { Migration } from '@app/service-kit/migrations';

export const paidWithTheirOrders = `
  update checkouts as c set paid_at = o.paid_at from orders as o
  where o.account_id = c.account_id and o.id = c.order_id and o.paid_at is not null`;

/**
 * What a buyer's page shows of a payment: when, which card, and until when the upsell may be decided on. Earlier checkouts get
 * their order's time; which card it was billing alone knows of them.
 */
export class PaidCheckouts extends Migration {
  override async up(): Promise<void> {
    this.addSql(
      'alter table checkouts add column paid_at timestamptz, add column last_four text, add column decide_by timestamptz',
    );
    this.addSql(paidWithTheirOrders);
  }
}
