import {
  createFunnelEmail,
  createOffer,
  deleteFunnelEmail,
  deleteOffer,
  getFunnel,
  getFunnelOffer,
  type OfferKind,
  pushFunnelEmails,
  pushResult,
  updateFunnelEmail,
  updateOffer,
} from '@app/contracts/funnels';
import { takesWebhookEvent } from '@app/contracts/webhooks';
import { forwardOperation } from '../forward-operation.ts';
import { defineOperation, tagged } from '../operation.ts';
import { pathId, productParams } from '../path-params.ts';

const emailParams = productParams.extend({ emailId: pathId('email', 'email_not_found') });

const upsellRule =
  'A checkout offers one upsell: of several active ones the first that was added. An order with a total of 0 offers none, ' +
  'because no card can be held for it.';

export const funnelOperations = tagged('Funnel', [
  forwardOperation(getFunnel, {
    id: 'getFunnel',
    method: 'GET',
    path: '/api/products/{productId}/funnel',
    summary: 'Read a product’s bumps, upsells, downsells and post-purchase emails',
    description:
      'Bumps and upsells in the order in which they were added, inactive ones too; emails by their positions. `downsells` has those that were made before they were retired.',
    params: productParams,
    errors: ['product_not_found'],
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

/** Bumps and upsells are edited alike: `/bumps/{bumpId}`, `/upsells/{upsellId}`. */
function offerOperations<Noun extends string>(
  kind: OfferKind,
  noun: Noun,
  folder: string,
  thing: string,
  description = '',
) {
  const path = `/api/v1/products/{productId}/${folder}`;
  const itemParams = productParams.extend({ offerId: pathId(kind, 'offer_not_found') });
  const addedInput = () => ({ kind });
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
    forwardOperation(getFunnelOffer, {
      id: `get${noun}` as const,
      hasVersion: true,
      method: 'GET',
      path: `${path}/{offerId}`,
      summary: `Read ${thing}`,
      description: 'An inactive one too.',
      params: itemParams,
      errors: ['product_not_found', 'offer_not_found'],
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
    forwardOperation(deleteOffer, {
      id: `delete${noun}` as const,
      audit: false,
      method: 'DELETE',
      path: `${path}/{offerId}`,
      summary: `Remove ${thing}`,
      description: 'Orders that have it keep it.',
      params: itemParams,
      errors: ['product_not_found', 'offer_not_found'],
      addedInput,
    }),
  ];
}
