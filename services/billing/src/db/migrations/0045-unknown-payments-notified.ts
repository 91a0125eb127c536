import { Migration } from '@app/service-kit/migrations';

/** That the seller was notified of a payment without an answer stood with the payment, and not with the other notifications. */
export class UnknownPaymentsNotified extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      insert into sent_notifications (account_id, subject, sent_at, kept_until)
      select account_id, 'payment unknown ' || id, now(), now() + interval '3650 days' from payments where noticed`);
    this.addSql('alter table payments drop column noticed');
  }
}
