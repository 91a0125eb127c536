/**
 * The messaging tables of every service's database; its first migration runs this.
 *
 * outbox       events written in the transaction of the change that they are of. `stream_seq` is null until the stream
 *              holds the event. Rows are kept for an hour from `published_at`, when the stream acknowledged them (an outage
 *              of NATS can be longer): should the stream lose its tail (nats-server flushes to disk only every two
 *              minutes), they are published again.
 * inbox        ids of the events that took effect here, written in the transaction of that effect.
 * commands     what was done under an id, so that it is not done twice: a command's result, or the run that a command
 *              joined. Creating an order writes no row here, because the order's id is its command's. Deleted after 31
 *              days.
 * dead_letters events given up on, with the reason, until they are replayed or 90 days have passed. A row whose
 *              `replay_requested_at` is set is handled once more by the running service; the headers that an event came
 *              with are handed to that attempt as well.
 * event_attempts  how often an event was begun that then failed or ended the process; its row goes with its success.
 *
 * The indexes by time let retention find the oldest rows. BRIN indexes would stop to help once deletes scatter new rows over
 * old pages.
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
    created_at timestamptz not null default now(),
    published_at timestamptz
  ) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);
  create index outbox_unpublished on outbox (id) where stream_seq is null;
  create index outbox_published on outbox (stream_seq) where stream_seq is not null;

  create table inbox (
    event_id text primary key,
    received_at timestamptz not null default now()
  );
  create index inbox_received on inbox (received_at);

  create table commands (
    id text primary key,
    result jsonb,
    created_at timestamptz not null default now()
  );
  create index commands_created on commands (created_at);

  create table dead_letters (
    event_id text primary key,
    stream text not null,
    subject text not null,
    payload text not null,
    error text not null,
    died_at timestamptz not null default now(),
    request_id text,
    traceparent text,
    replay_requested_at timestamptz
  );
  create index dead_letters_died on dead_letters (died_at);
  create index dead_letters_requested on dead_letters (subject, event_id) where replay_requested_at is not null;

  create table event_attempts (
    event_id text primary key,
    attempts integer not null,
    attempted_at timestamptz not null default now()
  )`;

/** The order in which dead letters are replayed, those that have waited longest first; the second migration runs this. */
export const waitingLettersIndex = `
  drop index dead_letters_requested;
  create index dead_letters_waiting on dead_letters (replay_requested_at, event_id) where replay_requested_at is not null`;

/**
 * sent_notifications   what sellers were notified of, so that they are notified once (notify-once.ts): one row for each
 *                      `notification_key` of an account, until `kept_until`.
 */
export const sentNotificationsTable = `
  create table sent_notifications (
    account_id text not null,
    notification_key text not null,
    sent_at timestamptz not null,
    kept_until timestamptz not null,
    primary key (account_id, notification_key)
  );
  create index sent_notifications_kept on sent_notifications (kept_until)`;
