import { Migration } from '@app/service-kit/migrations';

/**
 * upsell_shown      whether an upsell was offered after the order.
 * currency          is null for a visit, which has none.
 * facts_once_later  the later kinds count once for each subject too, whatever ids their events have. A refund's subject is
 *                   its order and number: `ord_…/2`. A visit has no subject but its event.
 */
export class RefundsAndVisits extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table facts add column upsell_shown boolean not null default false');
    this.addSql('alter table facts alter column currency drop not null');
    this.addSql(`
      create unique index facts_once_later on facts (account_id, kind, subject_id)
      where kind in ('order_refunded', 'order_reopened', 'subscription_canceled')`);
  }
}
