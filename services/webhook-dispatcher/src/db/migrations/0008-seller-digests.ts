import { Migration } from '@app/service-kit/migrations';

/**
 * `seller_digests`: when an account's last email of notices went out, and the deliveries that it had beside its own: each ends as
 * delivered when its turn comes.
 */
export class SellerDigests extends Migration {
  override up(): void {
    this.addSql(`create table seller_digests (
      account_id text primary key,
      sent_at timestamptz not null,
      delivery_ids text[] not null default '{}'
    )`);
  }
}
