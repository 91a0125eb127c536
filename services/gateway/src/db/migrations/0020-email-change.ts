import { Migration } from '@app/service-kit/migrations';

/**
 * letters.recipient   also of the two letters of a change of a user's address: the new address, and the one that the user had
 * letters.session_id  of a change of address: the session that requested it, which the change does not end
 */
export class EmailChange extends Migration {
  override up(): void {
    this.addSql(`
      alter table letters
        add column session_id text,
        drop constraint letters_kind_check,
        add constraint letters_kind_check check (
          kind in ('verification', 'password_reset', 'portal_link', 'email_change', 'email_change_notice')),
        drop constraint letters_recipient_check,
        add constraint letters_recipient_check check (
          (kind = 'portal_link') = (account_id is not null)
          and (kind in ('portal_link', 'email_change', 'email_change_notice')) = (recipient is not null))`);
  }
}
