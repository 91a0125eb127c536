import { Migration } from '@app/service-kit/migrations';

/**
 * one_time_codes      A user's authenticator app: its sealed secret; until it proved a code, `activated_at` is null. No code of
 *                     `last_step` or before is taken again.
 * backup_codes        Hashes of those that are left; one that is used is deleted.
 * passkeys            Credentials of WebAuthn; `counter` is the authenticator's own.
 * passkey_challenges  Hashes of what an authenticator is to sign, once; `user_id` of those that make a passkey.
 * pending_logins      Log-ins whose password or link was right, and that lack a factor; by the hash of the browser's token.
 *
 * `sessions.factor` is what a session was opened with beside the password or link, null for nothing.
 */
const factors = `
  create table one_time_codes (
    user_id text primary key references users (id) on delete cascade,
    sealed bytea not null,
    created_at timestamptz not null,
    activated_at timestamptz,
    last_step bigint not null
  );

  create table backup_codes (
    user_id text not null references users (id) on delete cascade,
    hash bytea not null,
    primary key (user_id, hash)
  );

  create table passkeys (
    id text primary key,
    user_id text not null references users (id) on delete cascade,
    credential_id bytea not null unique,
    public_key bytea not null,
    counter bigint not null,
    name text not null,
    created_at timestamptz not null,
    last_used_at timestamptz
  );
  create index passkeys_user_id on passkeys (user_id, id);

  create table passkey_challenges (
    hash bytea primary key,
    user_id text references users (id) on delete cascade,
    expires_at timestamptz not null
  );
  create index passkey_challenges_expires_at on passkey_challenges (expires_at);

  create table pending_logins (
    hash bytea primary key,
    user_id text not null references users (id) on delete cascade,
    expires_at timestamptz not null
  );
  create index pending_logins_expires_at on pending_logins (expires_at);

  alter table sessions add column factor text`;

export class Factors extends Migration {
  override up(): void {
    this.addSql(factors);
  }
}
