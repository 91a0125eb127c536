/**
 * idempotency_records  `status` and `response` are null until the first request under the key has its answer; until then
 *                      `lease_until` says whether it may still be at work, and `lease_owner` and `lease_token` which process
 *                      and which of its requests. The response is encrypted: answers can hold new API keys. `retried`: an
 *                      earlier request under the command id ended without a known outcome.
 * rate_windows         what callers have used of their windows, over all replicas. `held` is capacity that attempts under way
 *                      have taken: they give it back, or it becomes `taken`, when their outcome is known. Unlogged: it costs
 *                      no write-ahead log, and after a crash of the server every window begins anew. `ends_at` stays as it is
 *                      within a window, so that counting is a heap-only update, for which each page keeps room.
 */
export const requests = `
  create table idempotency_records (
    account_id text not null,
    key text not null,
    fingerprint bytea not null,
    command_id text not null,
    lease_until timestamptz not null,
    status smallint,
    response bytea,
    created_at timestamptz not null,
    lease_owner integer,
    lease_token text,
    retried boolean not null default false,
    primary key (account_id, key),
    check ((status is null) = (response is null))
  );
  -- Not BRIN: after one period of pruning it says "maybe" of every block, and the whole table is read.
  create index idempotency_records_created on idempotency_records (created_at);

  create unlogged table rate_windows (
    caller text primary key,
    ends_at timestamptz not null,
    taken integer not null,
    held integer not null default 0
  ) with (fillfactor = 70);
  create index rate_windows_ended on rate_windows (ends_at)`;
