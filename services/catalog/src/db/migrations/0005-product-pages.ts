import { Migration } from '@app/service-kit/migrations';

/** What a product's page shows. `image_name` is the hash of the picture's bytes and its format. */
export class ProductPages extends Migration {
  override up(): void {
    this.addSql('alter table products add column description text, add column image_name text');
  }
}
