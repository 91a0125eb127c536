import { Migration } from '@app/service-kit/migrations';

/** A renewal with which the processor did nothing is sent again as the same payment, under its key: how often that was so. */
export class UndoneRenewals extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table payments add column undone integer not null default 0');
    this.addSql('alter table payments alter column undone set statistics 0');
  }
}
