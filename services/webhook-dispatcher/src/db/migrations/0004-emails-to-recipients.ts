import { Migration } from '@app/service-kit/migrations';

/** `emails_to_recipients`: how many emails of a kind an account sent a recipient on the last day on which it sent any; a digest of the address. */
export class EmailsToRecipients extends Migration {
  override up(): void {
    this.addSql(`create table emails_to_recipients (
      account_id text not null,
      kind text not null,
      recipient bytea not null,
      day date not null,
      count integer not null,
      primary key (account_id, kind, recipient)
    )`);
    this.addSql('create index emails_to_recipients_day on emails_to_recipients (day)');
  }
}
