import {
  createFunnelEmail,
  createFunnelEmailBody,
  createOffer,
  createOfferBody,
  deleteFunnelEmail,
  deleteOffer,
  funnelEmailResource,
  funnelResource,
  getFunnel,
  type OfferKind,
  offerResource,
  pushFunnelEmails,
  pushResult,
  updateFunnelEmail,
  updateFunnelEmailBody,
  updateOffer,
  updateOfferBody,
} from '@app/contracts/catalog';
import { okResult } from '@app/contracts/common';
import { takesWebhookEvent } from '@app/contracts/webhooks';
import { defineOperation } from '../http/operation.ts';
import { pathId } from '../http/path-params.ts';
import { productParams } from './product-params.ts';

const tag = 'Funnel';
const emailParams = productParams.extend({ emailId: pathId('email', 'email_not_found') });

export const funnelOperations = [
  defineOperation({
    id: 'getFunnel',
    method: 'GET',
    path: '/api/products/{productId}/funnel',
    tag,
    summary: 'Read a product’s bumps, upsells, downsells and post-purchase emails',
    auth: 'account',
    scope: 'read',
    params: productParams,
    response: funnelResource,
    errors: ['product_not_found'],
    run: ({ app, params, context }) => app.requester.requestBytes(getFunnel, params, context),
  }),
  ...offerOperations('bump', 'Bump', 'bumps', 'an order bump'),
  ...offerOperations('upsell', 'Upsell', 'upsells', 'an upsell'),
  defineOperation({
    id: 'createFunnelEmail',
    method: 'POST',
    path: '/api/v1/products/{productId}/emails',
    tag,
    summary: 'Add a post-purchase email',
    auth: 'account',
    scope: 'write',
    params: productParams,
    body: createFunnelEmailBody,
    response: funnelEmailResource,
    errors: ['product_not_found', 'position_taken', 'limit_reached'],
    run: ({ app, params, body, context }) =>
      app.requester.requestBytes(createFunnelEmail, { ...params, body }, context),
  }),
  defineOperation({
    id: 'updateFunnelEmail',
    method: 'PATCH',
    path: '/api/v1/products/{productId}/emails/{emailId}',
    tag,
    summary: 'Change a post-purchase email',
    auth: 'account',
    scope: 'write',
    params: emailParams,
    body: updateFunnelEmailBody,
    response: funnelEmailResource,
    errors: ['product_not_found', 'email_not_found', 'position_taken', 'limit_reached'],
    run: ({ app, params, body, context }) =>
      app.requester.requestBytes(updateFunnelEmail, { ...params, body }, context),
  }),
  defineOperation({
    id: 'deleteFunnelEmail',
    method: 'DELETE',
    path: '/api/v1/products/{productId}/emails/{emailId}',
    tag,
    summary: 'Remove a post-purchase email',
    auth: 'account',
    scope: 'write',
    params: emailParams,
    response: okResult,
    errors: ['product_not_found', 'email_not_found'],
    run: ({ app, params, context }) => app.requester.requestBytes(deleteFunnelEmail, params, context),
  }),
  defineOperation({
    id: 'pushFunnelEmails',
    method: 'POST',
    path: '/api/v1/products/{productId}/emails/push',
    tag,
    summary: 'Send the post-purchase emails to the receiving tool',
    description:
      'One `funnel.email.sync` event for each email, in the order of their positions. `sent` counts the events that ' +
      'have somewhere to go, now or held: 0 when no webhook URL is connected that takes them.',
    auth: 'account',
    scope: 'write',
    params: productParams,
    response: pushResult,
    errors: ['product_not_found'],
    run: async ({ app, params, context }) => {
      // Asked first: without an answer nothing is pushed.
      const { takes } = await app.requester.request(takesWebhookEvent, { event: 'funnel.email.sync' }, context);
      const pushed = await app.requester.request(pushFunnelEmails, params, context);
      return takes ? pushed : { ...pushed, sent: 0 };
    },
  }),
];

/** Bumps and upsells are edited alike: `/bumps/{bumpId}`, `/upsells/{upsellId}`. */
function offerOperations(kind: OfferKind, noun: string, folder: string, thing: string) {
  const path = `/api/v1/products/{productId}/${folder}`;
  const itemParams = productParams.extend({ offerId: pathId(kind, 'offer_not_found') });
  const common = { tag, auth: 'account', scope: 'write' } as const;
  return [
    defineOperation({
      ...common,
      id: `create${noun}`,
      method: 'POST',
      path,
      summary: `Add ${thing}`,
      params: productParams,
      body: createOfferBody,
      response: offerResource,
      errors: ['product_not_found', 'limit_reached'],
      run: ({ app, params, body, context }) =>
        app.requester.requestBytes(createOffer, { ...params, kind, body }, context),
    }),
    defineOperation({
      ...common,
      id: `update${noun}`,
      method: 'PATCH',
      path: `${path}/{offerId}`,
      summary: `Change ${thing}`,
      params: itemParams,
      body: updateOfferBody,
      response: offerResource,
      errors: ['product_not_found', 'offer_not_found'],
      run: ({ app, params, body, context }) =>
        app.requester.requestBytes(updateOffer, { ...params, kind, body }, context),
    }),
    defineOperation({
      ...common,
      id: `delete${noun}`,
      method: 'DELETE',
      path: `${path}/{offerId}`,
      summary: `Remove ${thing}`,
      params: itemParams,
      response: okResult,
      errors: ['product_not_found', 'offer_not_found'],
      run: ({ app, params, context }) => app.requester.requestBytes(deleteOffer, { ...params, kind }, context),
    }),
  ];
}
