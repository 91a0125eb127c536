import { Migration } from '@app/service-kit/migrations';

/**
 * `withdrawal_days` and `immediate_access_consent` are settings. Letters about withdrawals go to whoever declared one, who is no user: they have
 * the account and the address, as portal links have.
 */
export class Withdrawals extends Migration {
  override up(): void {
    this.addSql('alter table accounts add column withdrawal_days integer not null default 14');
    this.addSql('alter table accounts add column immediate_access_consent boolean not null default false');
    this.addSql('alter table letters drop constraint letters_kind_check');
    this.addSql('alter table letters drop constraint letters_recipient_check');
    this.addSql(
      `alter table letters add constraint letters_kind_check check (
         kind in ('verification', 'password_reset', 'portal_link', 'email_change', 'email_change_notice',
           'login_notice', 'password_notice', 'change_notice', 'support_email', 'withdrawal_received_notice',
           'withdrawal_declined_notice', 'withdrawal_seller_notice'))`,
    );
    this.addSql(
      `alter table letters add constraint letters_recipient_check check (
         (kind in ('portal_link', 'withdrawal_received_notice', 'withdrawal_declined_notice')) = (account_id is not null)
         and (kind in ('verification', 'password_reset')) = (recipient is null))`,
    );
  }
}
