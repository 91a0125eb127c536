import { limits } from '@app/contracts/common';
import type { RequestInput, RequestOutput } from '@app/contracts/define';
import type { deleteOfferImage as deleteContract, putOfferImage as putContract } from '@app/contracts/funnels';
import type { RequestContext } from '@app/messaging/request-headers';
import type { UseCaseDeps } from '@app/service-host/define-service';
import { executeBound } from '@app/service-kit/bound-sql';
import { statement } from '@app/service-kit/database';
import { readImage } from '@app/service-kit/images';
import { type EntityManager, LockMode } from '@mikro-orm/postgresql';
import { requireRoom } from '../commands/require-room.ts';
import { runCommand } from '../commands/run-command.ts';
import { requireProduct } from '../products/require-product.ts';
import type { Offer } from './offer.entity.ts';
import { requireOffer } from './offers.ts';

const putStatement = statement(
  'offer-image-put',
  `insert into offer_images (account_id, product_id, offer_id, name, bytes) values ($1, $2, $3, $4, $5)
   on conflict (account_id, product_id, offer_id) do update set name = excluded.name, bytes = excluded.bytes`,
);

const countStatement = statement<{ count: number }>(
  'offer-images-count',
  'select count(*)::int as count from offer_images where account_id = $1 and offer_id <> $2',
  { count: 'int4' },
);

/**
 * Replaces the picture of an offer. The one before has no address any more.
 * @throws DomainError product_not_found, offer_not_found, limit_reached, validation_failed
 */
export async function putOfferImage(
  { database }: UseCaseDeps,
  { accountId, commandId }: RequestContext,
  { productId, offerId, body }: RequestInput<typeof putContract>,
): Promise<RequestOutput<typeof putContract>> {
  const { image, bytes } = readImage(body.data);
  return await runCommand(database, commandId, async (tx) => {
    const offer = await lockOffer(tx, { accountId, productId, id: offerId });
    const [others] = await executeBound(tx, countStatement([accountId, offerId]));
    requireRoom(others?.count ?? 0, limits.offerImagesPerAccount, 'pictures of offers');
    await executeBound(tx, putStatement([accountId, productId, offerId, image.name, bytes]));
    offer.imageName = image.name;
    return image;
  });
}

const deleteStatement = statement(
  'offer-image-delete',
  'delete from offer_images where account_id = $1 and product_id = $2 and offer_id = $3',
);

/** @throws DomainError product_not_found, offer_not_found */
export async function deleteOfferImage(
  { database }: UseCaseDeps,
  { accountId, commandId }: RequestContext,
  { productId, offerId }: RequestInput<typeof deleteContract>,
): Promise<RequestOutput<typeof deleteContract>> {
  return await runCommand(database, commandId, async (tx) => {
    const offer = await lockOffer(tx, { accountId, productId, id: offerId });
    await executeBound(tx, deleteStatement([accountId, productId, offerId]));
    offer.imageName = null;
    return { ok: true as const };
  });
}

async function lockOffer(tx: EntityManager, of: Pick<Offer, 'accountId' | 'productId' | 'id'>): Promise<Offer> {
  await requireProduct(tx, of.accountId, of.productId);
  return await requireOffer(tx, of, LockMode.PESSIMISTIC_WRITE);
}
