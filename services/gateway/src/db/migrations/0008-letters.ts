import { Migration } from '@app/service-kit/migrations';

/**
 * accounts.email           the address that the account was made with
 * accounts.email_verified  accounts of before this migration count as verified: they have sent emails all along
 * letters                  emails with a link that redeems a token; the table has the token's hash. `sealed` is the link, until
 *                          the letter is handed over. `user_id` is null where no user has the address that was given:
 *                          such a request writes a row too, so that it takes as long
 */
export class Letters extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      alter table accounts
        add column email text not null default '',
        add column email_verified boolean not null default true`);
    this.addSql('update accounts as a set email = u.email from users as u where u.account_id = a.id');
    this.addSql(`
      create table letters (
        id text primary key,
        kind text not null check (kind in ('verification', 'password_reset')),
        user_id text references users (id) on delete cascade,
        token_hash bytea not null unique,
        sealed bytea,
        attempts integer not null default 0,
        created_at timestamptz not null,
        next_attempt_at timestamptz not null,
        expires_at timestamptz not null
      )`);
    this.addSql('create index letters_due on letters (next_attempt_at) where sealed is not null');
    this.addSql('create index letters_expires_at on letters (expires_at)');
    this.addSql('create index letters_user_id on letters (user_id)');
  }
}
