import { Migration } from '@app/service-kit/migrations';

/**
 * account_handles  every handle that an account has or had. One that was changed leads to its account for good, so that
 *                  links out there go on, and nobody else can take it.
 */
export class AccountHandles extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      create table account_handles (
        handle text primary key,
        account_id text not null references accounts (id),
        taken_at timestamptz not null
      )`);
    this.addSql('create index account_handles_of_account on account_handles (account_id)');
    this.addSql(
      'insert into account_handles (handle, account_id, taken_at) select handle, id, created_at from accounts',
    );
  }
}
