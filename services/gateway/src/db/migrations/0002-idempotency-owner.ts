import { Migration } from '@app/service-kit/migrations';

export class IdempotencyOwner extends Migration {
  override up(): void {
    this.addSql(`
      -- Who is at work under the key, null in records of before: the process, and which of its requests.
      alter table idempotency_records add column lease_owner integer, add column lease_token text;
    `);
  }
}
