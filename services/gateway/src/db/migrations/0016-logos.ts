import { Migration } from '@app/service-kit/migrations';

/** Logos of the hosted pages: the public address of one has nothing but its name. */
export class Logos extends Migration {
  override up(): void {
    this.addSql(`
      create table logos (
        account_id text primary key references accounts (id),
        name text not null,
        bytes bytea not null check (length(bytes) <= 153600)
      )`);
    this.addSql('alter table logos alter column bytes set storage external');
    this.addSql('create index logos_by_name on logos (name)');
  }
}
