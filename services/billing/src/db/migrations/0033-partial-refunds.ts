import { Migration } from '@app/service-kit/migrations';

/**
 * payments_one_of_step  lets a charge be refunded in parts. No two refunds of an order are open at once
 *                       (`payments_one_open`), and each is written under the next number of its charge's attempts, which
 *                       is unique: what it was decided on has not changed since.
 * refund_attempt        the last request for a refund of the order that marked the charge, as checkout counts them.
 * refund_from_try       the first attempt at the processor that belongs to that request: of those before it a refusal says nothing.
 */
export class PartialRefunds extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table charges add column refund_attempt integer, add column refund_from_try integer');
    this.addSql(
      'alter table charges alter column refund_attempt set statistics 0, alter column refund_from_try set statistics 0',
    );
    this.addSql(`
      create unique index payments_one_of_each_step
      on payments (account_id, order_id, (case step when 'recharge' then 'capture' else step end), subject)
      where status <> 'declined' and (step <> 'refund' or status <> 'succeeded')`);
    this.addSql('drop index payments_one_of_step');
    this.addSql('alter index payments_one_of_each_step rename to payments_one_of_step');
  }
}
