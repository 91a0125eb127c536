import { hash } from 'node:crypto';
import { resolveCredits } from '@app/contracts/affiliates';
import {
  type CheckoutOffer,
  checkoutOfferResource,
  getOffer as getOfferRequest,
  recordVisitBody,
  recordVisit as recordVisitRequest,
  type SellerResource,
  type ShownProduct,
  sellerResource,
  shownProduct,
} from '@app/contracts/checkout-offers';
import { limits, listOf, okResult, type PageQuery, pageQueryOf, rawText, text, typedCode } from '@app/contracts/common';
import type { RequestInput, RequestOutput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import { idSchema } from '@app/contracts/ids';
import { listProducts, type ProductResource } from '@app/contracts/products';
import { invalidField } from '@app/contracts/validation';
import type { CallContext } from '@app/messaging/requester';
import { z } from 'zod';
import { checkoutUrlOf, logoUrlOf, productImagesUrlOf, productUrlsOf } from '../../edge/public-urls.ts';
import type { Seller } from '../../identity/find-seller.ts';
import { RetryLaterError } from '../../problems/retry-later-error.ts';
import { cardProcessor } from '../card-processor.ts';
import { defineOperation, type OperationCall, tagged } from '../operation.ts';
import { pathSlug, pathSlugOrId } from '../path-params.ts';

/** Ids without spaces between them; empty is none. */
const bumpIds = rawText(limits.bumpIds * 65)
  .refine((ids) => ids.split(',').length <= limits.bumpIds, `must have at most ${limits.bumpIds} ids`)
  .optional()
  .describe('Ids of the chosen order bumps, separated by commas.');

/** What the page of a product needs before anything is typed. None of it is a tool: models act for sellers. */
export const offerOperations = tagged('Checkout', [
  defineOperation({
    auth: 'visitor',
    id: 'getSeller',
    method: 'GET',
    path: '/api/checkout/sellers/{handle}',
    summary: 'Read the appearance of a seller’s pages',
    description: 'Name, support address, logo, colour, terms. For the pages of a purchase, whatever its state.',
    params: z.object({ handle: pathSlug('not_found') }),
    response: sellerResource,
    errors: ['not_found'],
    run: (call) => getSeller(call),
  }),
  defineOperation({
    auth: 'visitor',
    id: 'listShopProducts',
    method: 'GET',
    path: '/api/checkout/sellers/{handle}/products',
    summary: 'List what a seller has on sale',
    description:
      'The live products that are `listed`, newest first, as the page of the shop shows them. The latest 100; with `limit` or `before` it pages back, ' +
      'and says whether more follow.',
    params: z.object({ handle: pathSlug('not_found') }),
    query: pageQueryOf(idSchema('product')),
    response: listOf(shownProduct),
    errors: ['not_found'],
    run: (call) => listShopProducts(call),
  }),
  defineOperation({
    auth: 'visitor',
    id: 'getOffer',
    method: 'GET',
    path: '/api/checkout/offers/{handle}/{slug}',
    summary: 'Read what a product’s page shows, and what a choice costs',
    description:
      'For the buyer’s page, before a checkout is opened: the product, the seller, the order bumps, and lines and total for ' +
      'the chosen bumps and code. It opens nothing and counts no view. A bump that is not on offer is left out of the ' +
      'price; a code that takes nothing off says why in `discount.refusal`. After ten different wrong codes of an address within ten minutes it is ' +
      '`too_many_attempts`, whatever the code, until `retryAfterSeconds` have passed. A draft is not found.',
    params: z.object({ handle: pathSlug('product_not_found'), slug: pathSlugOrId }),
    query: z.object({
      bumpIds,
      discountCode: typedCode.optional(),
      affiliateCode: text(64).optional().describe('Of the affiliate who sent the buyer.'),
    }),
    response: checkoutOfferResource,
    errors: ['product_not_found', 'no_longer_for_sale'],
    run: (call) => getOffer(call),
  }),
  defineOperation({
    auth: 'visitor',
    id: 'recordVisit',
    method: 'POST',
    path: '/api/checkout/visits',
    summary: 'Count a visitor of a product’s page',
    description:
      'For the script of the buyer’s page, once the page is visible. A visitor counts once a UTC day for each product, ' +
      'however often this is called and checkouts are opened.',
    body: recordVisitBody,
    response: okResult,
    errors: ['unknown_product', 'product_not_live'],
    run: (call) => recordVisit(call),
  }),
]);

type SellersCall = OperationCall<{ readonly handle: string }, unknown, unknown>;

/** @throws DomainError not_found */
async function getSeller({ app, params, baseUrl }: SellersCall): Promise<SellerResource> {
  const seller = await app.sellers.find(params.handle);
  if (seller === null) throw new DomainError('not_found', 'No seller has this handle.');
  return sellerResourceOf(seller, baseUrl);
}

/** @throws DomainError not_found; validation_failed for a `before` that is no product of the seller */
async function listShopProducts({
  app,
  params,
  query,
  context,
  baseUrl,
}: OperationCall<{ readonly handle: string }, PageQuery, unknown>): Promise<{
  readonly data: ShownProduct[];
  readonly has_more?: boolean | undefined;
}> {
  const seller = await app.sellers.find(params.handle);
  if (seller === null) throw new DomainError('not_found', 'No seller has this handle.');
  const urls = productUrlsOf(baseUrl, seller.handle);
  const input = { ...query, status: 'live' as const, listed: true as const, urls };
  const found = await app.requester.request(listProducts, input, { ...context, accountId: seller.accountId });
  return { ...found, data: found.data.map(shownProductOf) };
}

const shownProductOf = (product: ProductResource): ShownProduct => ({
  id: product.id,
  name: product.name,
  priceCents: product.price_cents,
  currency: product.currency,
  pricingType: product.pricing_type,
  billingInterval: product.billing_interval,
  imageUrl: product.image_url,
  checkoutUrl: product.checkout_url,
});

type OfferCall = OperationCall<
  { readonly handle: string; readonly slug: string },
  {
    readonly bumpIds?: string | undefined;
    readonly discountCode?: string | undefined;
    readonly affiliateCode?: string | undefined;
  },
  unknown
>;

/**
 * What a product's page shows and costs for a choice.
 * @throws DomainError product_not_found; what the checkout service refuses it with
 */
async function getOffer({ app, params, query, address, context, baseUrl, called }: OfferCall): Promise<CheckoutOffer> {
  const seller = await app.sellers.find(params.handle);
  if (seller === null) throw new DomainError('product_not_found', 'No product is sold at this address.');
  called.accountId = seller.accountId;
  const { testMode } = seller.account;
  const { bumpIds = '', discountCode, affiliateCode = '' } = query;
  const ofSeller = { ...context, accountId: seller.accountId };
  const imagesUrl = productImagesUrlOf(baseUrl);
  const wanted = { slug: params.slug, bumpIds: bumpIds.split(',').filter((id) => id !== ''), testMode, imagesUrl };
  const [offer, card, affiliate] = await Promise.all([
    pricedOffer({ app, address, context: ofSeller }, wanted, discountCode || null),
    cardProcessor(app, seller.accountId, testMode),
    affiliateCode === '' ? null : affiliateWith(app, affiliateCode, ofSeller),
  ]);
  const { image, ...product } = offer.product;
  return {
    ...offer,
    product: {
      ...product,
      imageUrl: image === null ? null : `${imagesUrl}/${image}`,
      checkoutUrl: `${checkoutUrlOf(baseUrl, seller.handle)}/${product.slug}`,
    },
    seller: sellerResourceOf(seller, baseUrl),
    ...card,
    test: testMode,
    affiliateCode: affiliate,
  };
}

/** What checkout knows of an offer. A code is left out while its buyer has tried too many wrong ones: the page is shown all the same. */
async function pricedOffer(
  { app, address, context }: Pick<OfferCall, 'app' | 'address' | 'context'> & { readonly context: CallContext },
  wanted: Omit<RequestInput<typeof getOfferRequest>, 'discountCode'>,
  code: string | null,
): Promise<RequestOutput<typeof getOfferRequest>> {
  const request = (discountCode: string | null) =>
    app.requester.request(getOfferRequest, { ...wanted, discountCode }, context);
  if (code === null) return await request(null);
  const { accountId } = context;
  const isWrong = ({ discount }: RequestOutput<typeof getOfferRequest>): boolean => discount?.refusal != null;
  try {
    return await app.discountLimit.attempt({ address, accountId, code }, () => request(code), isWrong);
  } catch (err) {
    if (!(err instanceof RetryLaterError) || err.code !== 'rate_limited') throw err;
    const { retryAfterSeconds } = err;
    const discount = { code: code.toUpperCase(), refusal: 'too_many_attempts', retryAfterSeconds } as const;
    return { ...(await request(null)), discount };
  }
}

/** Null where no affiliate of the account has the code. While that is not known it is null too: a page without it is worth more than none. */
async function affiliateWith(app: OfferCall['app'], code: string, context: CallContext): Promise<string | null> {
  const wanted = [{ accountId: context.accountId, code, customerEmail: '' }];
  const known = await app.requester.request(resolveCredits, { wanted }, context).catch((err: unknown) => {
    app.logger.warn({ err, accountId: context.accountId }, 'whether an affiliate has a code is not known');
    return { credited: [] };
  });
  return known.credited[0] ?? null;
}

type VisitCall = OperationCall<unknown, unknown, z.output<typeof recordVisitBody>>;

/** Counts a visitor at the seller whom the handle names. */
async function recordVisit({ app, body, address, headers, context, called }: VisitCall) {
  const seller = await app.sellers.find(body.handle);
  if (seller === null) throw invalidField('handle', 'must be the handle of a seller', 'unknown_value');
  const visitor = app.visitorOf(app.clock.now(), address, headers['user-agent'] ?? '');
  const { accountId, account } = seller;
  called.accountId = accountId;
  const input = { slug: body.slug, testMode: account.testMode, visitor };
  return await app.requester.request(recordVisitRequest, input, { ...context, accountId });
}

function sellerResourceOf({ accountId, handle, account, appearance }: Seller, baseUrl: string): SellerResource {
  const { logoName, ...rest } = appearance;
  const { businessName: name, supportEmail } = account;
  const key = hash('sha256', accountId, 'base64url').slice(0, 16);
  return { key, handle, name, supportEmail, logoUrl: logoUrlOf(baseUrl, logoName), ...rest };
}
