import { Migration } from '@app/service-kit/migrations';

/**
 * - `conservation`: one row. The number of the last run, and where the round over the older events stands.
 * - `proved_accounts`: up to which number of its log an account was proved once. Events from before this migration are
 *   proved by the round over the older ones.
 * - `conservation_runs`: what each run has proved, for 30 days, and `conservation_gaps`: the accounts in which it found a
 *   gap, with their counts.
 * - `lost_deliveries`: rows that were found missing, and when they were made again. `lost_events`: numbers without an
 *   event; `settled_at` is for whoever has looked into it.
 */
export class Conservation extends Migration {
  override async up(): Promise<void> {
    await this.execute(`
      create table conservation (
        id boolean primary key default true check (id),
        run_id bigint not null default 0,
        next_run_at timestamptz not null default now(),
        proved_at timestamptz not null default now(),
        repaired bigint not null default 0,
        older_account text not null default '',
        older_sequence bigint not null default 0,
        round_started_at timestamptz not null default now(),
        round_ended_at timestamptz
      );
      insert into conservation default values;

      create table proved_accounts (account_id text primary key, sequence bigint not null) with (fillfactor = 70);
      insert into proved_accounts select account_id, last_sequence from account_logs;

      create table conservation_runs (
        id bigint primary key,
        started_at timestamptz not null default now(),
        finished_at timestamptz,
        accounts int not null default 0,
        events bigint not null default 0,
        older_events bigint not null default 0,
        deliveries bigint not null default 0,
        pending bigint not null default 0,
        sending bigint not null default 0,
        held bigint not null default 0,
        delivered bigint not null default 0,
        filtered bigint not null default 0,
        failed bigint not null default 0,
        canceled bigint not null default 0,
        gap bigint not null default 0,
        lost_events bigint not null default 0,
        repaired bigint not null default 0
      );
      create table conservation_gaps (
        id bigint generated always as identity primary key,
        run_id bigint not null,
        account_id text not null,
        first_sequence bigint not null,
        last_sequence bigint not null,
        events int not null,
        deliveries int not null,
        pending int not null,
        sending int not null,
        held int not null,
        delivered int not null,
        filtered int not null,
        failed int not null,
        canceled int not null,
        gap int not null,
        lost_events int not null
      );
      create index conservation_gaps_of_account on conservation_gaps (account_id, id);

      create table lost_deliveries (
        account_id text not null,
        id text collate "C" not null,
        event_id text collate "C" not null,
        endpoint_id text collate "C" not null,
        run_id bigint not null,
        found_at timestamptz not null default now(),
        repaired_at timestamptz,
        became text,
        primary key (account_id, id)
      );
      create index lost_deliveries_unrepaired on lost_deliveries (id) where repaired_at is null;
      create table lost_events (
        account_id text not null,
        sequence bigint not null,
        run_id bigint not null,
        found_at timestamptz not null default now(),
        settled_at timestamptz,
        primary key (account_id, sequence)
      );
      create index lost_events_unsettled on lost_events (account_id) where settled_at is null`);
  }
}
