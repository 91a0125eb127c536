import {
  type CheckoutOffer,
  getOffer as getOfferRequest,
  type recordVisitBody,
  recordVisit as recordVisitRequest,
  type SellerResource,
} from '@app/contracts/checkout-offers';
import { DomainError } from '@app/contracts/errors';
import { invalidField } from '@app/contracts/validation';
import type { z } from 'zod';
import { checkoutUrlOf, logoUrlOf, productImagesUrlOf } from '../../edge/public-urls.ts';
import type { Seller } from '../../identity/find-seller.ts';
import { cardProcessor } from '../card-processor.ts';
import type { OperationCall } from '../operation.ts';

type SellersCall = OperationCall<{ readonly handle: string }, unknown, unknown>;

/** @throws DomainError not_found */
export async function getSeller({ app, params, baseUrl }: SellersCall): Promise<SellerResource> {
  const seller = await app.sellers.find(params.handle);
  if (seller === null) throw new DomainError('not_found', 'No seller has this handle.');
  return sellerResourceOf(seller, baseUrl);
}

type OfferCall = OperationCall<
  { readonly handle: string; readonly slug: string },
  { readonly bumpIds?: string | undefined; readonly discountCode?: string | undefined },
  unknown
>;

/**
 * What a product's page shows and costs for a choice.
 * @throws DomainError product_not_found; what the checkout service refuses it with
 */
export async function getOffer({ app, params, query, context, baseUrl }: OfferCall): Promise<CheckoutOffer> {
  const seller = await app.sellers.find(params.handle);
  if (seller === null) throw new DomainError('product_not_found', 'No product is sold at this address.');
  const { testMode } = seller.account;
  const { bumpIds = '', discountCode } = query;
  const wanted = {
    slug: params.slug,
    bumpIds: bumpIds.split(',').filter((id) => id !== ''),
    discountCode: discountCode || null,
    testMode,
  };
  const [offer, card] = await Promise.all([
    app.requester.request(getOfferRequest, wanted, { ...context, accountId: seller.accountId }),
    cardProcessor(app, seller.accountId, testMode),
  ]);
  const { image, ...product } = offer.product;
  return {
    ...offer,
    product: {
      ...product,
      imageUrl: image === null ? null : `${productImagesUrlOf(baseUrl)}/${image}`,
      checkoutUrl: `${checkoutUrlOf(baseUrl, seller.handle)}/${product.slug}`,
    },
    seller: sellerResourceOf(seller, baseUrl),
    ...card,
    test: testMode,
  };
}

type VisitCall = OperationCall<unknown, unknown, z.output<typeof recordVisitBody>>;

/** Counts a visitor at the seller whom the handle names. */
export async function recordVisit({ app, body, address, headers, context }: VisitCall) {
  const seller = await app.sellers.find(body.handle);
  if (seller === null) throw invalidField('handle', 'must be the handle of a seller', 'unknown_value');
  const visitor = app.visitorOf(app.clock.now(), address, headers['user-agent'] ?? '');
  const { accountId, account } = seller;
  const input = { slug: body.slug, testMode: account.testMode, visitor };
  return await app.requester.request(recordVisitRequest, input, { ...context, accountId });
}

function sellerResourceOf({ handle, account, appearance }: Seller, baseUrl: string): SellerResource {
  const { logoName, ...rest } = appearance;
  const { businessName: name, supportEmail } = account;
  return { handle, name, supportEmail, logoUrl: logoUrlOf(baseUrl, logoName), ...rest };
}
