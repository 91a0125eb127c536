import { Migration } from '@app/service-kit/migrations';

/** The picture on a product's page: its public address has nothing but its name. */
export class ProductImages extends Migration {
  override up(): void {
    this.addSql(`
      create table product_images (
        account_id text not null,
        product_id text not null,
        name text not null,
        bytes bytea not null check (length(bytes) <= 153600),
        primary key (account_id, product_id),
        constraint product_images_product foreign key (account_id, product_id) references products (account_id, id) on delete cascade
      )`);
    // Pictures are compressed already.
    this.addSql('alter table product_images alter column bytes set storage external');
    this.addSql('create index product_images_by_name on product_images (name)');
  }
}
