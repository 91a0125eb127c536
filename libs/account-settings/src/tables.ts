import { Migration } from '@app/service-kit/migrations';

/**
 * account_settings   settings of accounts as the gateway told them last: all of them, as the event has them, so that a new
 *                    setting needs no migration here. `revision` is the number of the change.
 */
const accountSettingsTable = `
  create table account_settings (
    account_id text primary key,
    revision integer not null,
    settings jsonb not null
  )`;

class AccountSettings extends Migration {
  override up(): void {
    this.addSql(accountSettingsTable);
  }
}

/** The migration that makes the table. @param number its place among the service's migrations, e.g. `0011` */
export const accountSettingsMigration = (number: string) => ({
  name: `${number}-account-settings`,
  class: AccountSettings,
});
