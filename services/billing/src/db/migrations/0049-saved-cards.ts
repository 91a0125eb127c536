import { Migration } from '@app/service-kit/migrations';

/**
 * payments  a `card` saves a new card of the order's subscription and moves no money: as often as one is given, beside any
 *           other payment of the order.
 * The simulated processor has an entry of the kind `method` for each.
 */
export class SavedCards extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      alter table payments
        drop constraint payments_step_check,
        add constraint payments_step_check
          check (step in ('main', 'capture', 'upsell', 'recharge', 'refund', 'release', 'renewal', 'card')),
        drop constraint payments_call_check,
        add constraint payments_call_check
          check (call in ('authorize', 'charge', 'chargeSaved', 'capture', 'refund', 'release', 'saveMethod')),
        add constraint a_card_moves_no_money check (step <> 'card' or (amount_cents = 0 and call = 'saveMethod'))`);
    this.addSql('drop index payments_one_of_step');
    this.addSql(`
      create unique index payments_one_of_step
      on payments (account_id, order_id, (case step when 'recharge' then 'capture' else step end),
        period, charge_id, released_payment_id)
      nulls not distinct
      where status <> 'declined' and (step <> 'refund' or status <> 'succeeded') and step <> 'card'`);
    this.addSql('drop index payments_one_open');
    this.addSql(`
      create unique index payments_one_open on payments (account_id, order_id)
      where status not in ('succeeded', 'declined') and step not in ('release', 'card')`);
    this.addSql(`
      alter table simulated_processor.entries
        drop constraint entries_kind_check,
        add constraint entries_kind_check check (kind in ('hold', 'charge', 'method', 'capture', 'refund', 'release')),
        drop constraint entries_amount_cents_check,
        add constraint entries_amount_cents_check
          check (amount_cents > 0 or (kind in ('method', 'release') and amount_cents = 0))`);
  }
}
