import { Migration } from '@app/service-kit/migrations';

/**
 * processor_settings  one row for each processor that an account has chosen so far. `chosen` is the one for new payments;
 *                     the others keep their secret, for payments that were made with them. `secret_key` is sealed.
 */
export class ProcessorSettings extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      create table processor_settings (
        account_id text not null,
        processor text not null,
        chosen boolean not null,
        secret_key bytea,
        updated_at timestamptz not null,
        primary key (account_id, processor)
      )`);
    this.addSql('create unique index processor_settings_chosen on processor_settings (account_id) where chosen');
  }
}
