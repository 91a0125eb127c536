import { Migration } from '@app/service-kit/migrations';

/** An offer's earlier price and its picture, stored as a product's is. Null for those before. */
export class LooksOfOffers extends Migration {
  override up(): void {
    this.addSql('alter table offers add compare_at_cents bigint, add image_name text');
    this.addSql(`
      create table offer_images (
        account_id text not null,
        product_id text not null,
        offer_id text not null,
        name text not null,
        bytes bytea not null check (length(bytes) <= 153600),
        primary key (account_id, product_id, offer_id),
        constraint offer_images_offer foreign key (account_id, product_id, offer_id)
          references offers (account_id, product_id, id) on delete cascade
      );
      alter table offer_images alter bytes set storage external;
      create index offer_images_by_name on offer_images (name)`);
  }
}
