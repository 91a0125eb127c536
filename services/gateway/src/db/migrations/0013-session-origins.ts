import { Migration } from '@app/service-kit/migrations';

/**
 * address, user_agent  where a session was opened, as its owner reads them in the list of sessions; null in sessions of
 *                      before.
 * last_used_at         at most a minute late.
 */
export class SessionOrigins extends Migration {
  override up(): void {
    this.addSql(
      'alter table sessions add column last_used_at timestamptz, add column address text, add column user_agent text',
    );
    this.addSql('create index sessions_of_user on sessions (user_id, id)');
  }
}
