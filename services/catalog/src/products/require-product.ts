import { DomainError } from '@app/contracts/errors';
import { isId } from '@app/contracts/ids';
import { type EntityManager, LockMode } from '@mikro-orm/postgresql';
import { Product } from './product.entity.ts';

/** The account's product; another account's is as unknown as one that never was. Throws `product_not_found`. */
export async function requireProduct(em: EntityManager, accountId: string, productId: string): Promise<Product> {
  return await findProduct(em, accountId, productId, LockMode.NONE);
}

/** The same, held until the transaction ends: who decides from its state decides alone. */
export async function lockProduct(tx: EntityManager, accountId: string, productId: string): Promise<Product> {
  return await findProduct(tx, accountId, productId, LockMode.PESSIMISTIC_WRITE);
}

async function findProduct(
  em: EntityManager,
  accountId: string,
  productId: string,
  lockMode: LockMode,
): Promise<Product> {
  // What is no id may be text that PostgreSQL refuses (NUL): it is unknown without asking.
  const product = isId('product', productId)
    ? await em.findOne(Product, { accountId, id: productId }, { lockMode })
    : null;
  if (product === null) throw new DomainError('product_not_found', `There is no product with the id "${productId}".`);
  return product;
}
