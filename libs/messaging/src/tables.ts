/**
 * The messaging tables of every service's database; its first migration runs this.
 *
 * outbox       events written in the transaction of the change they tell of. `stream_seq` is null until the stream
 *              holds the event. Rows are kept for a while after that: should the stream lose its tail (nats-server
 *              flushes to disk only every two minutes), they are published again.
 * inbox        ids of the events that took effect here, written in the transaction of that effect.
 * commands     what was done under an id, so that it is not done twice: a command's result, the run that a command
 *              joined, the key of a notice that is sent once. Creating an order writes no row here, because the order's
 *              id is its command's. Deleted after 31 days.
 * dead_letters events given up on, with the reason, until they are replayed or 90 days have passed.
 */
export const messagingTables = `
  create table outbox (
    id bigint generated always as identity primary key,
    event_id text not null,
    subject text not null,
    payload text not null,
    request_id text,
    traceparent text,
    stream_seq bigint,
    created_at timestamptz not null default now()
  ) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);
  create index outbox_unpublished on outbox (id) where stream_seq is null;
  create index outbox_published on outbox (stream_seq) where stream_seq is not null;

  create table inbox (
    event_id text primary key,
    received_at timestamptz not null default now()
  );
  create index inbox_received on inbox using brin (received_at);

  create table commands (
    id text primary key,
    result jsonb,
    created_at timestamptz not null default now()
  );

  create table dead_letters (
    event_id text primary key,
    stream text not null,
    subject text not null,
    payload text not null,
    error text not null,
    died_at timestamptz not null default now()
  );
`;

/**
 * `published_at` is when the stream acknowledged the row: a row is kept for an hour from then, not from its writing,
 * because an outage of NATS can be longer than an hour. The indexes let retention find the oldest rows; a BRIN index
 * stops helping once deletes scatter new rows over old pages.
 */
export const publishedAtAndPruneIndexes = `
  alter table outbox add column published_at timestamptz;
  update outbox set published_at = created_at where stream_seq is not null;
  drop index inbox_received;
  create index inbox_received on inbox (received_at);
  create index commands_created on commands (created_at);
`;

/**
 * event_tries   how often an event was begun that then failed or ended the process; its row goes with its success.
 * dead_letters  a row whose `replay_requested_at` is set is handled once more by the running service; the headers an
 *               event came with are handed to that try as well.
 */
export const eventTriesAndReplays = `
  create table event_tries (
    event_id text primary key,
    tries integer not null,
    tried_at timestamptz not null default now()
  );
  alter table dead_letters
    add column request_id text,
    add column traceparent text,
    add column replay_requested_at timestamptz;
  create index dead_letters_died on dead_letters (died_at);
  create index dead_letters_requested on dead_letters (subject, event_id) where replay_requested_at is not null;
`;
