import { Migration } from '@app/service-kit/migrations';

/** How an account's hosted pages look. `logo_name` is the hash of the logo's bytes and its format. */
export class LookOfPages extends Migration {
  override up(): void {
    this.addSql(`
      alter table accounts
        add column accent_color text check (accent_color ~ '^#[0-9a-f]{6}$'),
        add column terms_url text,
        add column refund_policy_url text,
        add column logo_name text`);
  }
}
