import { Migration } from '@app/service-kit/migrations';

export class IdempotencyRefusals extends Migration {
  override up(): void {
    this.addSql(`
      -- Whether an earlier request under the command id ended with nobody knowing what became of it.
      alter table idempotency_records add column retried boolean not null default false;

      -- After one period of pruning, a BRIN index says "maybe" of every block: the whole table was read for nothing.
      drop index idempotency_records_created;
      create index idempotency_records_created on idempotency_records (created_at);
    `);
  }
}
