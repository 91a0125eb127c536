import { Migration } from '@app/service-kit/migrations';

/**
 * What a list is narrowed by stands before the id, so that a page is read from where its rows are, however many others
 * there are (history/index-ranges.rules.ts). Of attempts and deliveries that delivered, too: an endpoint that fails for days,
 * or takes one event in a thousand, has few of them.
 */
export class Reading extends Migration {
  override async up(): Promise<void> {
    this.addSql('drop index finished_undelivered');
    this.addSql('create index finished_of_account on finished_deliveries (account_id, status, event_name, id)');
    this.addSql('drop index attempts_undelivered');
    this.addSql(`
      create index attempts_of_account on attempts (account_id, event_name, (outcome is distinct from 'delivered'), id)`);
    this.addSql(`
      create index attempts_of_endpoint on attempts (endpoint_id, (outcome is distinct from 'delivered'), id)`);
    this.addSql(`
      create index notices_of_order on notices (account_id, order_id, id) where order_id is not null`);
  }
}
