import type { RequestInput, RequestOutput } from '@app/contracts/define';
import type { getProductImage as getContract } from '@app/contracts/images';
import type { deleteProductImage as deleteContract, putProductImage as putContract } from '@app/contracts/products';
import type { RequestContext } from '@app/messaging/request-headers';
import type { UseCaseDeps } from '@app/service-host/define-service';
import { executeBound } from '@app/service-kit/bound-sql';
import { type Database, statement } from '@app/service-kit/database';
import { readImage } from '@app/service-kit/images';
import { runCommand } from '../commands/run-command.ts';
import type { Product } from './product.entity.ts';
import { lockProduct } from './require-product.ts';

const putStatement = statement(
  'product-image-put',
  `insert into product_images (account_id, product_id, name, bytes) values ($1, $2, $3, $4)
   on conflict (account_id, product_id) do update set name = excluded.name, bytes = excluded.bytes`,
);

/**
 * Replaces the picture of a product. The one before has no address any more.
 * @throws DomainError product_not_found, validation_failed
 */
export async function putProductImage(
  { database, clock }: UseCaseDeps,
  { accountId, commandId }: RequestContext,
  { productId, body }: RequestInput<typeof putContract>,
): Promise<RequestOutput<typeof putContract>> {
  const { image, bytes } = readImage(body.data);
  return await runCommand(database, commandId, async (tx) => {
    const product = await lockProduct(tx, accountId, productId);
    await executeBound(tx, putStatement([accountId, productId, image.name, bytes]));
    setImage(product, image.name, clock.nowMs());
    return image;
  });
}

const deleteStatement = statement(
  'product-image-delete',
  'delete from product_images where account_id = $1 and product_id = $2',
);

/** @throws DomainError product_not_found */
export async function deleteProductImage(
  { database, clock }: UseCaseDeps,
  { accountId, commandId }: RequestContext,
  { productId }: RequestInput<typeof deleteContract>,
): Promise<RequestOutput<typeof deleteContract>> {
  return await runCommand(database, commandId, async (tx) => {
    const product = await lockProduct(tx, accountId, productId);
    await executeBound(tx, deleteStatement([accountId, productId]));
    setImage(product, null, clock.nowMs());
    return { ok: true as const };
  });
}

function setImage(product: Product, imageName: string | null, nowMs: number): void {
  if (product.imageName === imageName) return;
  const updatedAt = new Date(Math.max(nowMs, product.updatedAt.getTime() + 1));
  Object.assign(product, { imageName, updatedAt });
}

const byName = statement<{ bytes: Buffer }>(
  'product-image-by-name',
  `select bytes from (
     select bytes from product_images where name = $1 union all select bytes from offer_images where name = $1) as i
   limit 1`,
  { bytes: 'bytea' },
);

/** The bytes with this name: whose they are makes no difference, because all that have the name are equal. */
export async function getProductImage(
  { pool }: Database,
  { name }: RequestInput<typeof getContract>,
): Promise<RequestOutput<typeof getContract>> {
  const { rows } = await pool.query(byName([name]));
  return { data: rows[0]?.bytes.toString('base64') ?? null };
}
