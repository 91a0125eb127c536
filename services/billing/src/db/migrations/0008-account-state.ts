import { Migration } from '@app/service-kit/migrations';

/** Whether the processor takes payments for the account there, as it was read last; null where that is unknown. */
export class AccountState extends Migration {
  override up(): void {
    this.addSql(`alter table processor_keys add column charges_enabled boolean, add column disabled_reason text,
      add column requirements_due text[] not null default '{}', add column account_checked_at timestamptz`);
  }
}
