import { Migration } from '@mikro-orm/migrations';

/** settings_revision  counts the changes of an account's settings. */
export class SettingsAsAnEvent extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      alter table accounts
        add column daily_charge_limit integer not null default 3 check (daily_charge_limit >= 0),
        add column checkout_url text,
        add column settings_revision integer not null default 1`);
  }
}
