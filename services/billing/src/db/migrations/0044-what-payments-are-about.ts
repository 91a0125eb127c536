import { Migration } from '@app/service-kit/migrations';

const about = 'period, charge_id, released_payment_id';

/**
 * What a payment is about stood as text in one column, `subject`:
 *
 * charge_id            of a refund, the charge that it gives back
 * released_payment_id  of a release, the payment that it ends
 * period               of a renewal, the period that it pays
 *
 * The number of the attempt stands before the ids in the key: the last one of a period is found at its end.
 */
export class WhatPaymentsAreAbout extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      alter table payments add column charge_id text, add column released_payment_id text, add column period integer,
        alter column charge_id set statistics 0, alter column released_payment_id set statistics 0`);
    this.addSql(`
      update payments set
        charge_id = case step when 'refund' then subject end,
        released_payment_id = case step when 'release' then subject end,
        period = case step when 'renewal' then subject::integer end
      where step in ('refund', 'release', 'renewal')`);
    this.addSql('drop index payments_one_of_step');
    this.addSql(`
      alter table payments
        drop constraint one_row_for_each_try,
        drop column subject,
        add constraint one_row_for_each_try unique nulls not distinct
          (account_id, order_id, step, period, try_no, charge_id, released_payment_id),
        add constraint a_refund_has_a_charge check ((step = 'refund') = (charge_id is not null)),
        add constraint a_release_has_a_payment check ((step = 'release') = (released_payment_id is not null)),
        add constraint a_renewal_has_a_period check ((step = 'renewal') = (period is not null))`);
    this.addSql(`
      create unique index payments_one_of_step
      on payments (account_id, order_id, (case step when 'recharge' then 'capture' else step end), ${about})
      nulls not distinct
      where status <> 'declined' and (step <> 'refund' or status <> 'succeeded')`);
  }
}
