import { Migration } from '@app/service-kit/migrations';

/** Slugs that products on sale had before: links that were shared with them lead to the product. */
export class EarlierSlugs extends Migration {
  override up(): void {
    this.addSql(`
      create table earlier_slugs (
        account_id text not null,
        slug text not null,
        product_id text not null,
        left_at timestamptz not null,
        primary key (account_id, slug)
      );
      create index earlier_slugs_of_product on earlier_slugs (account_id, product_id, left_at)`);
  }
}
