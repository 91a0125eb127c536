import { checkoutOfferResource, recordVisitBody, sellerResource } from '@app/contracts/checkout-offers';
import { limits, okResult, rawText, text } from '@app/contracts/common';
import { z } from 'zod';
import { defineOperation, tagged } from '../operation.ts';
import { pathSlug } from '../path-params.ts';
import { getOffer, getSeller, recordVisit } from './get-offer.ts';

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
    id: 'getOffer',
    method: 'GET',
    path: '/api/checkout/offers/{handle}/{slug}',
    summary: 'Read what a product’s page shows, and what a choice costs',
    description:
      'For the buyer’s page, before a checkout is opened: the product, the seller, the order bumps, and lines and total for ' +
      'the chosen bumps and code. It opens nothing and counts no view. A bump that is not on offer is left out of the ' +
      'price; a code that takes nothing off says why in `discount.refusal`. A draft is not found.',
    params: z.object({ handle: pathSlug('product_not_found'), slug: pathSlug('product_not_found') }),
    query: z.object({ bumpIds, discountCode: text(50).optional() }),
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
