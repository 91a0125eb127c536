import { Migration } from '@app/service-kit/migrations';

/**
 * processor_keys  API keys of a processor that has a test mode: for each mode one that new payments use (`current`), and those of
 *                 other accounts there that payments were made at before. `at_processor` is the account there. `secret_key`
 *                 is sealed.
 */
export class ProcessorKeys extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      create table processor_keys (
        account_id text not null,
        processor text not null,
        test boolean not null,
        at_processor text not null,
        name_there text,
        secret_key bytea not null,
        publishable_key text not null,
        missing_permissions text[] not null,
        current boolean not null,
        stored_at timestamptz not null,
        primary key (account_id, processor, test, at_processor)
      )`);
    this.addSql(`
      create unique index processor_keys_current on processor_keys (account_id, processor, test) where current`);
  }
}
