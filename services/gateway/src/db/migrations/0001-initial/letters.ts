/**
 * letters  emails with a link that redeems a token; the table has the token's hash. `sealed` is the link, until the letter is
 *          handed over. `user_id` is null where no user has the address that was given: such a request writes a row too, so that
 *          it takes as long. `account_id` and `recipient` of a letter to a buyer, who is no user: the seller whose letter it
 *          is, and the address; only the loop that sends it finds out whether the address has bought there. `recipient` also of
 *          the two letters of a change of a user's address: the new address, and the one that the user had. `session_id` of a
 *          change of address: the session that requested it, which the change does not end. `detail` of the letter about a
 *          log-in: the browser and the address that it names.
 */
export const letters = `
  create table letters (
    id text primary key,
    kind text not null check (
      kind in ('verification', 'password_reset', 'portal_link', 'email_change', 'email_change_notice',
        'login_notice', 'password_notice')
    ),
    user_id text references users (id) on delete cascade,
    token_hash bytea not null unique,
    sealed bytea,
    attempts integer not null default 0,
    created_at timestamptz not null,
    next_attempt_at timestamptz not null,
    expires_at timestamptz not null,
    account_id text references accounts (id),
    recipient text,
    session_id text,
    detail text,
    constraint letters_recipient_check check (
      (kind = 'portal_link') = (account_id is not null)
      and (kind in ('verification', 'password_reset')) = (recipient is null)
    )
  );
  create index letters_due on letters (next_attempt_at) where sealed is not null;
  create index letters_expires_at on letters (expires_at);
  create index letters_user_id on letters (user_id)`;

/**
 * portal_links     what opens the portal, by the token's hash, with the buyer's email in lower case. One to a subscription's card
 *                  works until it expires, any other once.
 * portal_sessions  what such a link opened, by the secret's hash.
 *
 * Links and sessions are deleted 30 days after their end: a page shows whose an old link was.
 */
export const portal = `
  create table portal_links (
    token_hash bytea primary key,
    account_id text not null references accounts (id),
    email text not null,
    subscription_id text,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    used_at timestamptz
  );
  create index portal_links_expires_at on portal_links (expires_at);

  create table portal_sessions (
    hash bytea primary key,
    account_id text not null references accounts (id),
    email text not null,
    subscription_id text,
    created_at timestamptz not null,
    expires_at timestamptz not null
  );
  create index portal_sessions_expires_at on portal_sessions (expires_at)`;
