import { DomainError } from '@app/contracts/errors';
import { isId } from '@app/contracts/ids';
import { type EntityManager, LockMode } from '@mikro-orm/postgresql';
import { Product } from './product.entity.ts';

/**
 * The account's product.
 * @throws DomainError product_not_found, for another account's product as well
 */
export async function requireProduct(em: EntityManager, accountId: string, productId: string): Promise<Product> {
  return await findProduct(em, accountId, productId, LockMode.NONE);
}

/** The same, locked until the transaction ends, so that no other command decides from its state meanwhile. */
export async function lockProduct(tx: EntityManager, accountId: string, productId: string): Promise<Product> {
  return await findProduct(tx, accountId, productId, LockMode.PESSIMISTIC_WRITE);
}

async function findProduct(
  em: EntityManager,
  accountId: string,
  productId: string,
  lockMode: LockMode,
): Promise<Product> {
  // Text that is no id may have a NUL, which PostgreSQL refuses: such a product is unknown without a query.
  const product = isId('product', productId)
    ? await em.findOne(Product, { accountId, id: productId }, { lockMode })
    : null;
  if (product === null) throw new DomainError('product_not_found', `No product has the id "${productId}".`);
  return product;
}
