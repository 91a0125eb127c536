import { Migration } from '@app/service-kit/migrations';

export class Initial extends Migration {
  override up(): void {
    this.addSql(`
      create table accounts (
        id text primary key,
        handle text not null,
        business_name text not null,
        support_email text not null,
        default_currency text not null,
        test_mode boolean not null,
        hold_decision_minutes integer not null,
        nudge_after_minutes integer not null,
        commission_hold_days integer not null,
        cancellation_notices boolean not null,
        created_at timestamptz not null,
        constraint accounts_handle_unique unique (handle)
      );

      create table users (
        id text primary key,
        account_id text not null references accounts (id),
        email text not null,
        password_hash text not null,
        created_at timestamptz not null,
        constraint users_email_unique unique (email)
      );

      -- The hash is of 256 random bits; the token itself is with the browser only.
      create table sessions (
        id text primary key,
        hash bytea not null unique,
        user_id text not null references users (id) on delete cascade,
        created_at timestamptz not null,
        expires_at timestamptz not null
      );
      create index sessions_expires on sessions (expires_at);

      create table api_keys (
        id text primary key,
        account_id text not null references accounts (id),
        name text not null,
        hash bytea not null unique,
        prefix text not null,
        last_four text not null,
        scopes text[] not null,
        created_at timestamptz not null,
        expires_at timestamptz,
        revoked_at timestamptz,
        last_used_at timestamptz
      );
      create index api_keys_account on api_keys (account_id, id);

      -- status and response are null until the first request under the key has its answer; until then lease_until
      -- tells whether it may still be at work. The response is encrypted: answers can hold new API keys.
      create table idempotency_records (
        account_id text not null,
        key text not null,
        fingerprint bytea not null,
        command_id text not null,
        lease_until timestamptz not null,
        status smallint,
        response bytea,
        created_at timestamptz not null,
        primary key (account_id, key),
        check ((status is null) = (response is null))
      );
      create index idempotency_records_created on idempotency_records using brin (created_at);
    `);
  }
}
