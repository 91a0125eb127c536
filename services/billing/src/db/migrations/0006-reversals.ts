import { Migration } from '@app/service-kit/migrations';

/**
 * A `reversal` gives back what a payment took beside another one for the same: it names that payment as a refund names its charge, and
 * stands beside any other payment of the order.
 */
export class Reversals extends Migration {
  override up(): void {
    this.addSql(`
      alter table payments drop constraint payments_step_check, drop constraint a_refund_has_a_charge;
      alter table payments
        add constraint payments_step_check check (
          step in ('main', 'capture', 'upsell', 'recharge', 'refund', 'release', 'reversal', 'renewal', 'card')),
        add constraint a_refund_has_a_charge check ((step in ('refund', 'reversal')) = (charge_id is not null));
      drop index payments_one_open;
      create unique index payments_one_open on payments (account_id, order_id)
        where status not in ('succeeded', 'declined') and step not in ('release', 'reversal', 'card')`);
  }
}
