import { Migration } from '@app/service-kit/migrations';

/**
 * `recoveries.begun_in`: the transaction that began it. An event that was being stored when the endpoint was connected has
 * no delivery for it, and may be committed after the recovery has looked at its place. Its transaction is older than this
 * one, so a recovery looks for such events once no older transaction is left. The default serves replicas of the version
 * before, too; null, of recoveries from before, waits for nothing.
 */
export class RecoveriesBegun extends Migration {
  override async up(): Promise<void> {
    await this.execute('alter table recoveries add begun_in xid8');
    await this.execute('alter table recoveries alter begun_in set default pg_current_xact_id()');
  }
}
