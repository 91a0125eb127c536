import { Migration } from '@app/service-kit/migrations';

/** `unreadable_told_at`: when the seller was last told that the stored API key cannot be opened. */
export class UnreadableKeys extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table processor_settings add column unreadable_told_at timestamptz');
  }
}
