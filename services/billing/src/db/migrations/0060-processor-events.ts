import { Migration } from '@app/service-kit/migrations';

/**
 * processor_webhooks  by what an account of a processor signs its events for us, for each stored key. `secret` and
 *                     `earlier_secret`, which counts until `earlier_until`, are sealed. `endpoint_id` is the endpoint that the
 *                     platform made there, `url` its address. A row with `next_try_at` waits for its endpoint to be made.
 * processor_events    events of a processor, each once. An event says where to look: an object there, and payments of ours
 *                     that it names. A row with `next_try_at` is looked at then; one without and without `done_at` is given up.
 */
export class ProcessorEvents extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      create table processor_webhooks (
        account_id text not null,
        processor text not null,
        test boolean not null,
        at_processor text not null,
        status text not null check (status in ('pending', 'active', 'not_permitted', 'no_public_url', 'refused')),
        secret bytea,
        earlier_secret bytea,
        earlier_until timestamptz,
        endpoint_id text,
        url text,
        tries integer not null default 0,
        next_try_at timestamptz,
        last_event_at timestamptz,
        primary key (account_id, processor, test, at_processor)
      )`);
    this.addSql(`
      insert into processor_webhooks (account_id, processor, test, at_processor, status, next_try_at)
      select account_id, processor, test, at_processor, 'pending', now() from processor_keys where current`);
    this.addSql(`
      create index processor_webhooks_due on processor_webhooks (next_try_at) where next_try_at is not null`);
    this.addSql(`
      create table processor_events (
        account_id text not null,
        processor text not null,
        test boolean not null,
        event_id text not null,
        type text not null,
        object_kind text not null,
        object_id text not null,
        payment_ids text[] not null,
        received_at timestamptz not null,
        tries integer not null default 0,
        next_try_at timestamptz,
        done_at timestamptz,
        primary key (account_id, processor, test, event_id)
      )`);
    this.addSql(`
      create index processor_events_due on processor_events (next_try_at) where next_try_at is not null`);
    this.addSql(`create index processor_events_received on processor_events (received_at)`);
  }
}
