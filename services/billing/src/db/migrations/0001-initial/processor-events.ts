/**
 * processor_webhooks  by what an account of a processor signs its events for us, for each stored key. `secret` and
 *                     `earlier_secret`, which counts until `earlier_until`, are sealed. `endpoint_id` is the endpoint that the
 *                     platform made there, `url` its address, `shape` the version and the types of its events. A row with
 *                     `next_attempt_at` is compared with Stripe then; until `claimed_until` a replica does that.
 * processor_events    events of a processor, each once. An event says which object there changed, and names payments of ours. A
 *                     row with `next_attempt_at` is handled then; one without and without `done_at` is given up.
 */
export const processorEvents = `
  create table processor_webhooks (
    account_id text not null,
    processor text not null,
    test boolean not null,
    at_processor text not null,
    status text not null check (status in ('pending', 'active', 'by_hand', 'not_permitted', 'no_public_url', 'refused')),
    secret bytea,
    earlier_secret bytea,
    earlier_until timestamptz,
    endpoint_id text,
    url text,
    shape text,
    attempts integer not null default 0,
    claimed_until timestamptz,
    next_attempt_at timestamptz,
    last_event_at timestamptz,
    primary key (account_id, processor, test, at_processor)
  );
  create index processor_webhooks_due on processor_webhooks (next_attempt_at) where next_attempt_at is not null;

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
    attempts integer not null default 0,
    next_attempt_at timestamptz,
    done_at timestamptz,
    primary key (account_id, processor, test, event_id)
  );
  create index processor_events_due on processor_events (next_attempt_at) where next_attempt_at is not null;
  create index processor_events_received on processor_events (received_at)`;
