import { limits } from '@app/contracts/common';
import type { RequestInput, RequestOutput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import type * as contract from '@app/contracts/funnels';
import { idOfCommand, isId } from '@app/contracts/ids';
import { requireVersion } from '@app/contracts/validation';
import type { RequestContext } from '@app/messaging/request-headers';
import type { Database } from '@app/service-kit/database';
import { type EntityManager, LockMode } from '@mikro-orm/postgresql';
import { nextVersion } from '../commands/next-version.rules.ts';
import type { PricingDeps } from '../commands/price-for-processor.ts';
import { requireRoom } from '../commands/require-room.ts';
import { runCommand } from '../commands/run-command.ts';
import type { PartKind } from '../products/delete-part.ts';
import { newPriceRefusal } from '../products/new-price-refusal.ts';
import { lockProduct, requireProduct } from '../products/require-product.ts';
import { requireEarlierPrice } from './earlier-price.rules.ts';
import { Offer, offerResourceOf } from './offer.entity.ts';

/**
 * @throws DomainError product_not_found, limit_reached, validation_failed for a price that the account's payment processor cannot
 * charge, and for an earlier price that was no higher
 */
export async function createOffer(
  deps: PricingDeps,
  context: RequestContext,
  { productId, kind, body, urls }: RequestInput<typeof contract.createOffer>,
): Promise<RequestOutput<typeof contract.createOffer>> {
  const { accountId, commandId } = context;
  const refusal = await newPriceRefusal(deps, context, productId, body, { isAddedTo: kind === 'bump' });
  return await runCommand(deps.database, commandId, async (tx) => {
    await lockProduct(tx, accountId, productId);
    if (refusal !== undefined) throw refusal;
    const count = await tx.count(Offer, { accountId, productId, kind });
    requireRoom(count, limits.offersPerProduct, `${kind}s on one product`);
    const { headline, priceCents, active = true, accessUrl = null, description = null, compareAtCents = null } = body;
    requireEarlierPrice({ priceCents, compareAtCents });
    const id = idOfCommand(kind, commandId);
    const shown = { headline, priceCents, active: Boolean(active), accessUrl, description: description || null };
    const looks = { compareAtCents, imageName: null };
    return offerResourceOf(tx.create(Offer, { accountId, productId, id, kind, ...shown, ...looks, version: 1 }), urls);
  });
}

/** @throws DomainError product_not_found, offer_not_found */
export async function getOffer(
  database: Database,
  accountId: string,
  { productId, offerId, urls }: RequestInput<typeof contract.getFunnelOffer>,
): Promise<RequestOutput<typeof contract.getFunnelOffer>> {
  const em = database.fork();
  await requireProduct(em, accountId, productId);
  return offerResourceOf(await requireOffer(em, { accountId, productId, id: offerId }), urls);
}

/**
 * An offer of either kind.
 * @throws DomainError offer_not_found
 */
export async function requireOffer(
  em: EntityManager,
  { id, ...of }: Pick<Offer, 'accountId' | 'productId' | 'id'>,
  lockMode = LockMode.NONE,
): Promise<Offer> {
  const isOffer = isId('bump', id) || isId('upsell', id);
  const offer = isOffer ? await em.findOne(Offer, { ...of, id }, { lockMode }) : null;
  if (offer === null) throw unknownOffer('offer', id);
  return offer;
}

/**
 * Changes the given fields.
 * @throws DomainError product_not_found, offer_not_found, version_changed, validation_failed for a new price as above
 */
export async function updateOffer(
  deps: PricingDeps,
  context: RequestContext,
  { productId, kind, offerId, body, ifVersion, urls }: RequestInput<typeof contract.updateOffer>,
): Promise<RequestOutput<typeof contract.updateOffer>> {
  const { accountId, commandId } = context;
  const refusal = await newPriceRefusal(deps, context, productId, body, { isAddedTo: kind === 'bump' });
  return await runCommand(deps.database, commandId, async (tx) => {
    await requireProduct(tx, accountId, productId);
    const where = { accountId, productId, id: offerId, kind };
    const offer = isId(kind, offerId) ? await tx.findOne(Offer, where, { lockMode: LockMode.PESSIMISTIC_WRITE }) : null;
    if (offer === null) throw unknownOffer(kind, offerId);
    requireVersion(offer.version, ifVersion);
    if (refusal !== undefined && body.priceCents !== offer.priceCents) throw refusal;
    const { active = offer.active, ...changes } = body;
    Object.assign(offer, changes, { active: Boolean(active), version: nextVersion(offer.version, body) });
    if (offer.description === '') offer.description = null;
    requireEarlierPrice(offer);
    return offerResourceOf(offer, urls);
  });
}

/** An offer's id says of which kind it is. */
export const offerPart = (kind: contract.OfferKind): PartKind<Offer> => ({
  of: Offer,
  kind,
  unknown: (id) => unknownOffer(kind, id),
});

function unknownOffer(kind: string, offerId: string): DomainError {
  return new DomainError('offer_not_found', `No ${kind} of this product has the id "${offerId}".`);
}
