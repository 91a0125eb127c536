import { Migration } from '@app/service-kit/migrations';

/**
 * An account's open checkouts in the order in which they give way to new ones: first those that were not touched since they
 * were opened, or that have no email; the oldest first.
 */
export class OpenCheckouts extends Migration {
  override async up(): Promise<void> {
    this.addSql(
      `create index checkouts_open_of_account on checkouts (account_id, (email is not null and revision > 0), created_at) where status = 'open'`,
    );
  }
}
