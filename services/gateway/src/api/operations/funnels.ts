import {
  createFunnelEmail,
  createOffer,
  deleteFunnelEmail,
  deleteOffer,
  deleteOfferImage,
  getFunnel,
  getFunnelOffer,
  type OfferKind,
  pushFunnelEmails,
  pushResult,
  putOfferImage,
  updateFunnelEmail,
  updateOffer,
} from '@app/contracts/funnels';
import { imageResource, putImageBody } from '@app/contracts/images';
import { takesWebhookEvent } from '@app/contracts/webhooks';
import { productImagesUrlOf } from '../../edge/public-urls.ts';
import { type Caller, forwardOperation } from '../forward-operation.ts';
import { defineOperation, tagged } from '../operation.ts';
import { pathId, productParams } from '../path-params.ts';
import { urlsFor } from '../product-urls.ts';
import { putImageText, shownImage } from '../shown-image.ts';

const emailParams = productParams.extend({ emailId: pathId('email', 'email_not_found') });

const upsellRule =
  'A checkout offers one upsell: of several active ones the first that was added. An order with a total of 0 offers none, ' +
  'because no card can be held for it.';

export const funnelOperations = tagged('Funnel', [
  defineOperation({
    auth: 'account',
    id: 'getFunnel',
    method: 'GET',
    path: '/api/products/{productId}/funnel',
    summary: 'Read a product’s bumps, upsells, downsells and post-purchase emails',
    description:
      'Bumps and upsells in the order in which they were added, inactive ones too; emails by their positions. `downsells` has those that were made before they were retired.',
    scope: 'read',
    params: productParams,
    response: getFunnel.output,
    errors: ['product_not_found'],
    run: ({ app, params, context, ...call }) =>
      app.requester.requestBytes(getFunnel, { ...params, urls: urlsFor(call) }, context),
  }),
  ...offerOperations('bump', 'Bump', 'bumps', 'an order bump'),
  ...offerOperations('upsell', 'Upsell', 'upsells', 'an upsell', upsellRule),
  forwardOperation(createFunnelEmail, {
    id: 'createFunnelEmail',
    audit: false,
    method: 'POST',
    path: '/api/v1/products/{productId}/emails',
    summary: 'Add a post-purchase email',
    description: 'The platform does not send it: `pushFunnelEmails` hands it to the tool that does, by webhook.',
    params: productParams,
    errors: ['product_not_found', 'position_taken', 'limit_reached'],
  }),
  forwardOperation(updateFunnelEmail, {
    id: 'updateFunnelEmail',
    audit: false,
    hasVersion: true,
    method: 'PATCH',
    path: '/api/v1/products/{productId}/emails/{emailId}',
    summary: 'Change a post-purchase email',
    description: 'What was pushed before stays as it is with the tool that sends it: push again.',
    params: emailParams,
    errors: ['product_not_found', 'email_not_found', 'position_taken', 'limit_reached'],
  }),
  forwardOperation(deleteFunnelEmail, {
    id: 'deleteFunnelEmail',
    audit: false,
    method: 'DELETE',
    path: '/api/v1/products/{productId}/emails/{emailId}',
    summary: 'Remove a post-purchase email',
    description: 'The tool that sends emails is not told.',
    params: emailParams,
    errors: ['product_not_found', 'email_not_found'],
  }),
  defineOperation({
    id: 'pushFunnelEmails',
    audit: false,
    method: 'POST',
    path: '/api/v1/products/{productId}/emails/push',
    summary: 'Send the post-purchase emails to the receiving tool',
    description:
      'One `funnel.email.sync` event for each email, in the order of their positions. `sent` counts the events that ' +
      'have somewhere to go, now or held: 0 when no webhook URL is connected that takes them. Those are not held for ' +
      'one that is connected later: push again then.',
    auth: 'account',
    scope: 'write',
    params: productParams,
    response: pushResult,
    errors: ['product_not_found'],
    run: async ({ app, params, context }) => {
      // This request is first: when it fails, nothing is pushed.
      const { takes } = await app.requester.request(takesWebhookEvent, { event: 'funnel.email.sync' }, context);
      const pushed = await app.requester.request(pushFunnelEmails, params, context);
      return takes ? pushed : { ...pushed, sent: 0 };
    },
  }),
]);

function offerParams(kind: OfferKind) {
  return productParams.extend({ offerId: pathId(kind, 'offer_not_found') });
}

/** Bumps and upsells are edited alike: `/bumps/{bumpId}`, `/upsells/{upsellId}`. */
function offerOperations<Noun extends string>(
  kind: OfferKind,
  noun: Noun,
  folder: string,
  thing: string,
  description = '',
) {
  const path = `/api/v1/products/{productId}/${folder}`;
  const itemParams = offerParams(kind);
  const addedInput = (caller: Caller) => ({ kind, urls: urlsFor(caller) });
  return [
    forwardOperation(createOffer, {
      id: `create${noun}` as const,
      audit: false,
      method: 'POST',
      path,
      summary: `Add ${thing}`,
      description,
      params: productParams,
      errors: ['product_not_found', 'limit_reached'],
      addedInput,
    }),
    defineOperation({
      auth: 'account',
      id: `get${noun}` as const,
      hasVersion: true,
      method: 'GET',
      path: `${path}/{offerId}`,
      summary: `Read ${thing}`,
      description: 'An inactive one too.',
      scope: 'read',
      params: itemParams,
      response: getFunnelOffer.output,
      errors: ['product_not_found', 'offer_not_found'],
      run: ({ app, params, context, ...call }) =>
        app.requester.requestBytes(getFunnelOffer, { ...params, urls: urlsFor(call) }, context),
    }),
    forwardOperation(updateOffer, {
      id: `update${noun}` as const,
      // The answer shows the access link that is stored.
      alsoScope: 'read',
      audit: false,
      hasVersion: true,
      method: 'PATCH',
      path: `${path}/{offerId}`,
      summary: `Change ${thing}`,
      description: 'Only the given fields. Checkouts that are open keep the price that they showed.',
      params: itemParams,
      errors: ['product_not_found', 'offer_not_found'],
      addedInput,
    }),
    ...offerPutAndDelete(kind, noun, `${path}/{offerId}`, thing),
  ];
}

/** The operations of an offer that answer no offer. */
function offerPutAndDelete<Noun extends string>(kind: OfferKind, noun: Noun, path: string, thing: string) {
  const params = offerParams(kind);
  return [
    forwardOperation(deleteOffer, {
      id: `delete${noun}` as const,
      audit: false,
      method: 'DELETE',
      path,
      changesImages: true,
      summary: `Remove ${thing}`,
      description: 'Orders that have it keep it.',
      params,
      errors: ['product_not_found', 'offer_not_found'],
      addedInput: () => ({ kind }),
    }),
    defineOperation({
      auth: 'account',
      id: `put${noun}Image` as const,
      audit: false,
      method: 'PUT',
      path: `${path}/image`,
      changesImages: true,
      summary: `Set the picture of ${thing}`,
      description: putImageText,
      scope: 'write',
      params,
      body: putImageBody,
      response: imageResource,
      errors: ['product_not_found', 'offer_not_found', 'limit_reached'],
      run: async ({ app, params, body, context, baseUrl }) => {
        const image = await app.requester.request(putOfferImage, { ...params, body }, context);
        return shownImage(image, `${productImagesUrlOf(baseUrl)}/${image.name}`);
      },
    }),
    forwardOperation(deleteOfferImage, {
      id: `delete${noun}Image` as const,
      audit: false,
      method: 'DELETE',
      path: `${path}/image`,
      changesImages: true,
      summary: `Delete the picture of ${thing}`,
      description: 'Buyers see none then. Deleting again does nothing more.',
      params,
      errors: ['product_not_found', 'offer_not_found'],
    }),
  ];
}
