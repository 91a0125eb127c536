import { Migration } from '@app/service-kit/migrations';

/**
 * What lists of orders are filtered by. Each index entry is 12 bytes (its header and its line pointer) and its keys, in which
 * an id is 31 bytes:
 *
 *   orders_of_product     108 bytes for every live order
 *   orders_of_name         60 bytes for one with a name of 15 letters; equal names share an entry. It has no id: what a name's
 *                          beginning finds is sorted
 *   orders_of_affiliate   about 90 bytes for one that came with an affiliate's code
 *   orders_refunded       nothing until the order is refunded
 *   rehearsals_listed     nothing for live orders. Rehearsals are few: their lists are filtered along it
 *
 * orders_listed is made anew in ascending order: PostgreSQL fills the pages of an index to the end when values grow within
 * an account, and leaves them half empty when they fall; and bounds of (account, id) are one range of it.
 *
 * Other filters have their index already: emails `orders_of_buyer`, held orders `orders_authorized`, ids and times (an order's
 * time is in its id) `orders_listed`, which paid orders are found along too, because nearly all are paid. So an order writes
 * 6 index entries at most where it wrote 3. Measured over 36,000 orders of 50 accounts, in batches of 50: 641 bytes of indexes for each
 * where there were 388, because inserts leave pages partly empty, and 3.3 ms for a batch's insert where it took 2.9 ms.
 */
export class FilteredOrders extends Migration {
  override up(): void {
    this.addSql('drop index orders_listed');
    this.addSql('create index orders_listed on orders (account_id, id) where not test');
    this.addSql('create index orders_of_product on orders (account_id, product_id, substr(id, 5)) where not test');
    this.addSql(
      `create index orders_of_name on orders (account_id, lower(customer_name collate pg_c_utf8)) where not test and customer_name <> ''`,
    );
    this.addSql(
      'create index orders_of_affiliate on orders (account_id, lower(affiliate_code), substr(id, 5)) where affiliate_code is not null and not test',
    );
    this.addSql(
      `create index orders_refunded on orders (account_id, substr(id, 5)) where status = 'refunded' and not test`,
    );
    this.addSql('create index rehearsals_listed on orders (account_id, substr(id, 5)) where test');
  }
}
