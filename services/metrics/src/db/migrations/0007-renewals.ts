import { Migration } from '@app/service-kit/migrations';

/**
 * facts.active_delta            what a fact adds to the number of active subscriptions. Null in facts of versions before:
 *                               their kind says it. So no fact has to be written anew.
 * product_months.renewal_cents  the part of the revenue that is renewals. No version before recorded any.
 * facts_once_renewal            a renewal counts once for each period, whatever ids its events have. A subscription may
 *                               be paused and resumed, and fail to pay, any number of times: only their events tell
 *                               these apart.
 */
export class Renewals extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table facts add column active_delta smallint');
    this.addSql('alter table product_months add column renewal_cents bigint not null default 0');
    this.addSql(`
      create unique index facts_once_renewal on facts (account_id, kind, subject_id)
      where kind = 'subscription_rebilled'`);
  }
}
