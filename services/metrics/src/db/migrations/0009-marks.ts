import { Migration } from '@app/service-kit/migrations';

/**
 * facts.marks      what is true of a fact, such as `bump`, unless it is one of the four marks of orders that have columns.
 *                  Null when nothing is. A later kind adds words here, not columns.
 * facts_once_else  kinds that no index named before this one count once for each subject, whatever ids their events have.
 *                  A later kind chooses its subjects so, and needs no index of its own.
 */
export class Marks extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table facts add column marks text[]');
    this.addSql(`
      create unique index facts_once_else on facts (account_id, kind, subject_id)
      where kind not in ('order_paid', 'subscription_started', 'order_refunded', 'order_reopened', 'checkout_visited',
        'subscription_rebilled', 'subscription_payment_failed', 'subscription_paused', 'subscription_resumed',
        'subscription_canceled')`);
  }
}
