import { Migration } from '@app/service-kit/migrations';

/**
 * - `emails_sent`: how many emails automations of an account have sent on the last day on which they sent any.
 * - `endpoints.channel`: claims read it, and not the action, which has templates of 20 KB.
 */
export class Emails extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      create table emails_sent (
        account_id text primary key,
        day date not null,
        count int not null
      )`);
    this.addSql(`
      alter table endpoints add channel text not null
        generated always as (case when action ->> 'type' = 'email' then 'email' else 'http' end) stored`);
  }
}
