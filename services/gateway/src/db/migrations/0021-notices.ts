import { Migration } from '@app/service-kit/migrations';

/**
 * known_origins   where users have logged in from: a digest of the browser and its network, and when last. A log-in from elsewhere
 *                 is told by a letter
 * letters.detail  of the letter about a log-in: the browser and the address that it names
 */
export class Notices extends Migration {
  override up(): void {
    this.addSql(`
      create table known_origins (
        user_id text not null references users (id) on delete cascade,
        origin bytea not null,
        last_at timestamptz not null,
        primary key (user_id, origin)
      )`);
    this.addSql('create index known_origins_last_at on known_origins (last_at)');
    this.addSql(`
      alter table letters
        add column detail text,
        drop constraint letters_kind_check,
        add constraint letters_kind_check check (
          kind in ('verification', 'password_reset', 'portal_link', 'email_change', 'email_change_notice', 'login_notice',
            'password_notice')),
        drop constraint letters_recipient_check,
        add constraint letters_recipient_check check (
          (kind = 'portal_link') = (account_id is not null)
          and (kind in ('verification', 'password_reset')) = (recipient is null))`);
  }
}
