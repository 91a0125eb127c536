import { Migration } from '@app/service-kit/migrations';

/**
 * rehearsal_clocks  how many days each account's rehearsals are ahead of the clock. `command_id` is the command that moves it,
 *                   with what it was asked for and has done; null between commands. `lease_owner` works on it until
 *                   `leased_until`: after that whoever repeats the command goes on.
 */
export class Rehearsals extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      create table rehearsal_clocks (
        account_id text primary key,
        ahead_days integer not null default 0 check (ahead_days >= 0),
        command_id text,
        asked_days integer not null default 0,
        done_days integer not null default 0,
        ok boolean not null default true,
        charged integer not null default 0,
        charged_cents bigint not null default 0,
        retried integer not null default 0,
        canceled integer not null default 0,
        lease_owner text,
        leased_until timestamptz,
        constraint done_of_what_was_asked check (done_days between 0 and asked_days)
      )`);
    this.addSql('create index subscriptions_of_rehearsals on subscriptions (account_id, id desc) where test');
  }
}
