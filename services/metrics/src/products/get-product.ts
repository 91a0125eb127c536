import { getProduct as catalogProduct } from '@app/contracts/catalog';
import type { MetricsResource } from '@app/contracts/metrics';
import type { Requester } from '@app/messaging/requester';
import { type Database, statement } from '@app/service-kit/database';
import { isOutage } from '@app/service-kit/outages';

type Product = MetricsResource['product'];

const productById = statement(
  'products-by-id',
  `select product_id as id, name, pricing_type as "pricingType" from products where account_id = $1 and product_id = $2`,
);

/** Keeps the row of an event that came meanwhile, because its name is newer. */
const insertProduct = statement(
  'products-insert',
  'insert into products (account_id, product_id, name, pricing_type) values ($1, $2, $3, $4) on conflict do nothing',
);

/**
 * The account's product. Its name comes with orders and with catalog's events; for a product that no event named, it asks
 * catalog once. Throws `product_not_found`, for another account's product as well.
 */
export async function getProduct(
  { database, requester }: { database: Database; requester: Requester },
  context: { accountId: string; requestId: string },
  productId: string,
): Promise<Product> {
  const { accountId } = context;
  const { rows } = await database.pool.query<Product>(productById([accountId, productId]));
  const [row] = rows;
  if (row !== undefined) return row;
  const { id, name, pricing_type: pricingType } = await requester.request(catalogProduct, { productId }, context);
  await database.pool.query(insertProduct([accountId, id, name, pricingType])).catch(unlessOutage);
  return { id, name, pricingType };
}

/** The name is at hand: a database that takes no writes does not keep it from whoever reads. */
function unlessOutage(err: unknown): void {
  if (!isOutage(err)) throw err;
}
