import { Migration } from '@app/service-kit/migrations';

/** An account's open checkouts in the order in which they give way to new ones: those without an email first, oldest first. */
export class OpenCheckouts extends Migration {
  override async up(): Promise<void> {
    this.addSql(
      `create index checkouts_open_of_account on checkouts (account_id, (email is not null), created_at) where status = 'open'`,
    );
  }
}
