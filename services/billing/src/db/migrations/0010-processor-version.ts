import { Migration } from '@app/service-kit/migrations';

/**
 * `processor_version(account)`: how often the account has chosen its processor or stored its keys, null where it never did. Who stores
 * keys holds the lock alone, so this waits for the end of that, and reads what it has written: each statement of a volatile function
 * sees what was committed when it begins. Who holds it, with a payment that is written, is waited for and then seen by who
 * stores keys. A lock of the settings' row would write to it for each payment.
 */
export class ProcessorVersion extends Migration {
  override up(): void {
    this.addSql(`
      create function processor_version(account text) returns integer language plpgsql volatile as $$
      begin
        perform pg_advisory_xact_lock_shared(hashtextextended('payment processor ' || account, 0));
        return (select version from processor_settings where account_id = account and chosen);
      end $$`);
  }
}
