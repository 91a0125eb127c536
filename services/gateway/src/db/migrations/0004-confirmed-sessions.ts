import { Migration } from '@app/service-kit/migrations';

/**
 * `sessions.confirmed_at` is when its person last proved to be there; null from a new password on. A letter of the kind
 * `change_notice` tells the owner of what redirects money or data; its `detail` says what was changed and from where.
 */
export class ConfirmedSessions extends Migration {
  override up(): void {
    this.addSql('alter table sessions add column confirmed_at timestamptz');
    this.addSql('alter table letters drop constraint letters_kind_check');
    this.addSql(
      `alter table letters add constraint letters_kind_check check (
         kind in ('verification', 'password_reset', 'portal_link', 'email_change', 'email_change_notice',
           'login_notice', 'password_notice', 'change_notice'))`,
    );
  }
}
