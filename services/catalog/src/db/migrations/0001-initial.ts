import { messagingTables } from '@app/messaging/tables';
import { Migration } from '@app/service-kit/migrations';
import { partsOfProducts, products } from './0001-initial/products.ts';

const parts = [messagingTables, products, partsOfProducts];

/** The tables of products and what belongs to them. */
export class Initial extends Migration {
  override up(): void {
    for (const part of parts) this.addSql(part);
  }
}
