import { Migration } from '@app/service-kit/migrations';

/** login_links  what `npm start` prints: by the token's hash, whom it logs in, once, until it expires */
export class LoginLinks extends Migration {
  override up(): void {
    this.addSql(`
      create table login_links (
        token_hash bytea primary key,
        user_id text not null references users (id) on delete cascade,
        expires_at timestamptz not null
      )`);
    this.addSql('create index login_links_expires_at on login_links (expires_at)');
  }
}
