import { Migration } from '@app/service-kit/migrations';

/**
 * accounts.portal_cancel, portal_pause  what the account's buyers may do with their subscriptions
 * letters.account_id, recipient         of a letter to a buyer, who is no user: the seller whose letter it is, and the address.
 *                                       Only the loop that sends it finds out whether the address has bought there
 * portal_links                          what opens the portal, by the token's hash, with the buyer's email in lower case. One
 *                                       to a subscription's card works until it expires, any other once
 * portal_sessions                       what such a link opened, by the secret's hash
 *
 * Links and sessions are deleted 30 days after their end: a page shows whose an old link was.
 */
export class Portal extends Migration {
  override up(): void {
    this.addSql(`
      alter table accounts
        add column portal_cancel boolean not null default true,
        add column portal_pause boolean not null default true`);
    this.addSql(`
      alter table letters
        add column account_id text references accounts (id),
        add column recipient text,
        drop constraint letters_kind_check,
        add constraint letters_kind_check check (kind in ('verification', 'password_reset', 'portal_link')),
        add constraint letters_recipient_check check (
          (kind = 'portal_link') = (account_id is not null) and (account_id is null) = (recipient is null))`);
    this.addSql(`
      create table portal_links (
        token_hash bytea primary key,
        account_id text not null references accounts (id),
        email text not null,
        subscription_id text,
        created_at timestamptz not null,
        expires_at timestamptz not null,
        used_at timestamptz
      )`);
    this.addSql('create index portal_links_expires_at on portal_links (expires_at)');
    this.addSql(`
      create table portal_sessions (
        hash bytea primary key,
        account_id text not null references accounts (id),
        email text not null,
        subscription_id text,
        created_at timestamptz not null,
        expires_at timestamptz not null
      )`);
    this.addSql('create index portal_sessions_expires_at on portal_sessions (expires_at)');
  }
}
