import { Migration } from '@app/service-kit/migrations';

/**
 * `support_email_verified`: the address for support has confirmed, or is one that the account has verified. `support_email_pending` was
 * given for it and has not confirmed yet. An account that is not verified has its own address there: one that it gave waits.
 */
export class SupportEmails extends Migration {
  override up(): void {
    this.addSql('alter table accounts add column support_email_verified boolean not null default false');
    this.addSql('alter table accounts add column support_email_pending text');
    this.addSql('update accounts set support_email_verified = true where email_verified and support_email = email');
    this.addSql(
      `update accounts set support_email_pending = support_email, support_email = email
       where not email_verified and support_email <> email and email <> ''`,
    );
    this.addSql('alter table letters drop constraint letters_kind_check');
    this.addSql(
      `alter table letters add constraint letters_kind_check check (
         kind in ('verification', 'password_reset', 'portal_link', 'email_change', 'email_change_notice',
           'login_notice', 'password_notice', 'change_notice', 'support_email'))`,
    );
  }
}
