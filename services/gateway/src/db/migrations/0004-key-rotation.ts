import { Migration } from '@app/service-kit/migrations';

export class KeyRotation extends Migration {
  override up(): void {
    this.addSql(`
      -- expires_at is when a key ends. A rotated one ends with its overlap: own_expires_at is when it would have ended
      -- without, and what its successors get.
      alter table api_keys add column rotated_at timestamptz, add column own_expires_at timestamptz;

      -- For retention: least() passes over nulls, so that this is when a key ended or ends, null for one that never does.
      create index api_keys_ended on api_keys (least(revoked_at, expires_at));
    `);
  }
}
