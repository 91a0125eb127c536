import { Migration } from '@app/service-kit/migrations';

/** Records of callers without an account are deleted by their age apart: they are kept for a day. Their owner's name has a blank. */
export class AnonymousRecords extends Migration {
  override up(): void {
    this.addSql(
      `create index idempotency_records_anonymous on idempotency_records (created_at) where account_id like '% %'`,
    );
  }
}
