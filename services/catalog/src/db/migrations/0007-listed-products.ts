import { Migration } from '@app/service-kit/migrations';

/** Whether the page of the shop shows a product; it shows those before. */
export class ListedProducts extends Migration {
  override up(): void {
    this.addSql('alter table products add listed boolean not null default true');
  }
}
