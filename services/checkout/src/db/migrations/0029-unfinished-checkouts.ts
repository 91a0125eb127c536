import { Migration } from '@app/service-kit/migrations';

/**
 * The seller's list of checkouts that were not paid. An opening without an email, as crawlers make them, writes no entry; one with an
 * email writes 74 bytes: its header and line pointer, the account (31) and what is behind an id's prefix (27). The expired ones have
 * an index of their own, because all that are open are newer.
 */
export class UnfinishedCheckouts extends Migration {
  override up(): void {
    const listed = 'email is not null and not test';
    this.addSql(
      `create index checkouts_unfinished on checkouts (account_id, substr(id, 5)) where status in ('open', 'expired') and ${listed}`,
    );
    this.addSql(
      `create index checkouts_expired on checkouts (account_id, substr(id, 5)) where status = 'expired' and ${listed}`,
    );
  }
}
