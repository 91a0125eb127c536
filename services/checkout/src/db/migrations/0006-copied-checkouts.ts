import { Migration } from '@app/service-kit/migrations';

/**
 * The links of reminders that went out before hold a secret of the checkout itself. It opens none of those that are open any more:
 * whoever shared such a link would read what its buyer pays. The links go on working, because their secret is the reminder's token.
 */
export const endSecretsOfLinks = `
  update checkouts as c set secret_hashes = array_remove(c.secret_hashes, r.link_hash) from reminders as r
  where r.account_id = c.account_id and r.checkout_id = c.id and c.status = 'open' and r.sent_at is not null`;

/** `checkouts.copy_of`  the checkout of which a link made this one. `reminders.copies`  how many the reminder's link has made. */
export class CopiedCheckouts extends Migration {
  override up(): void {
    this.addSql('alter table checkouts add column copy_of text');
    this.addSql('create index checkouts_copies on checkouts (copy_of) where copy_of is not null');
    this.addSql('alter table reminders add column copies integer not null default 0');
    this.addSql('create index reminders_link on reminders (link_hash)');
    this.addSql(endSecretsOfLinks);
  }
}
