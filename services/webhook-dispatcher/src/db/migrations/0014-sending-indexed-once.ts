import { Migration } from '@app/service-kit/migrations';

/**
 * What is on its way is seconds old and leaves again: every entry of an index for it is written, dead soon after and
 * vacuumed. Lists read it by its account, and the poll for void leases reads all of it, so one small index serves both.
 */
export class SendingIndexedOnce extends Migration {
  override async up(): Promise<void> {
    this.addSql('drop index deliveries_leased');
    this.addSql('drop index deliveries_of_account');
    this.addSql(`create index deliveries_sending on deliveries (account_id, id) where status = 'sending'`);
    this.addSql(`
      create index deliveries_of_account on deliveries (account_id, status, event_name, id)
      where status in ('pending', 'held')`);
  }
}
