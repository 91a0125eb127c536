import { Migration } from '@mikro-orm/migrations';

/**
 * products    name and pricing type of each product that an event named. A read of a product without a row asks catalog
 *             and adds the row.
 * renamed_by  id of the event that the name came with; ids sort by time, so the latest name wins in whatever order the
 *             events come. Null for a name that came with an order or from catalog: any event is newer.
 */
export class Products extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      create table products (
        account_id text not null,
        product_id text not null,
        name text not null,
        pricing_type text not null check (pricing_type in ('onetime', 'subscription')),
        renamed_by text collate "C",
        primary key (account_id, product_id)
      )`);
  }
}
