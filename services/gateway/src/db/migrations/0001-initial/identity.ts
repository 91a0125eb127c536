/**
 * sessions       The hash is of 256 random bits; the token itself is with the browser only. `address` and `user_agent` are
 *                where the session was opened, as its owner reads them in the list of sessions. `last_used_at` is at most a
 *                minute late.
 * login_links    what `npm start` prints: by the token's hash, whom it logs in, once, until it expires.
 * known_origins  where users have logged in from: a digest of the browser and its network, and when last. A letter names a
 *                log-in from elsewhere.
 */
export const users = `
  create table users (
    id text primary key,
    account_id text not null references accounts (id),
    email text not null,
    password_hash text not null,
    created_at timestamptz not null,
    constraint users_email_unique unique (email)
  );

  create table sessions (
    id text primary key,
    hash bytea not null unique,
    user_id text not null references users (id) on delete cascade,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    last_used_at timestamptz,
    address text,
    user_agent text
  );
  create index sessions_expires on sessions (expires_at);
  create index sessions_of_user on sessions (user_id, id);

  create table login_links (
    token_hash bytea primary key,
    user_id text not null references users (id) on delete cascade,
    expires_at timestamptz not null
  );
  create index login_links_expires_at on login_links (expires_at);

  create table known_origins (
    user_id text not null references users (id) on delete cascade,
    origin bytea not null,
    last_at timestamptz not null,
    primary key (user_id, origin)
  );
  create index known_origins_last_at on known_origins (last_at)`;

/**
 * api_keys  `expires_at` is when a key ends. A rotated one ends with its overlap: `own_expires_at` is when it would have ended
 *           without, and what its successors get.
 */
export const apiKeys = `
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
    last_used_at timestamptz,
    rotated_at timestamptz,
    own_expires_at timestamptz
  );
  create index api_keys_account on api_keys (account_id, id);
  -- For retention: least() passes over nulls, so that this is when a key ended or ends, null for one that never does.
  create index api_keys_ended on api_keys (least(revoked_at, expires_at))`;
