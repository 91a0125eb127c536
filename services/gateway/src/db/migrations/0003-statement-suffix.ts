import { Migration } from '@app/service-kit/migrations';

/** `accounts.statement_suffix` stands on the statements of buyers' cards after the business's name at the processor. */
export class StatementSuffix extends Migration {
  override up(): void {
    this.addSql('alter table accounts add column statement_suffix text');
  }
}
