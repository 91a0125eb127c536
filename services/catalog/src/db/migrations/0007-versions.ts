import { Migration } from '@app/service-kit/migrations';

/** `version` counts the changes of what people edit: an update may say which version it was made from. */
export class Versions extends Migration {
  override up(): void {
    for (const table of ['products', 'offers', 'funnel_emails', 'discounts'])
      this.addSql(`alter table ${table} add column version integer not null default 1`);
  }
}
