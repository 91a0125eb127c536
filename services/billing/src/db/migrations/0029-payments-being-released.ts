import { Migration } from '@app/service-kit/migrations';

/**
 * `releasing` is set by the statement that writes a release of the payment, and cleared by the one that records its end. It
 * is a column of the payment, so that a look-up that began before the release finds it when it records: PostgreSQL compares
 * the newest version of a row that it waited for, and of other rows only what was committed when the statement began.
 */
export class PaymentsBeingReleased extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table payments add column releasing boolean not null default false');
    this.addSql(`
      update payments as p set releasing = true
      where p.status = 'requires_action' and exists (
        select from payments as r
        where r.account_id = p.account_id and r.order_id = p.order_id and r.step = 'release' and r.subject = p.id
          and r.finished_at is null)`);
  }
}
