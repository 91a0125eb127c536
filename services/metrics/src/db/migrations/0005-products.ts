import { Migration } from '@app/service-kit/migrations';

/**
 * products    name and pricing type of each product that an event named.
 * renamed_by  id of catalog's event that the name came with; ids sort by time, so the latest name wins in whatever order the
 *             events come. Null for a name that came with an order or a visit: any event is newer.
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
