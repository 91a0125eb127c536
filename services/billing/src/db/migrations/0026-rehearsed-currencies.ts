import { Migration } from '@app/service-kit/migrations';

/** charged_by_currency  what `charged_cents` is made of. */
export class RehearsedCurrencies extends Migration {
  override async up(): Promise<void> {
    this.addSql(`alter table rehearsal_clocks add column charged_by_currency jsonb not null default '{}'`);
  }
}
