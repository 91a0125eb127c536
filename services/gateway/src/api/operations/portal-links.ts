import { secretNotice } from '@app/contracts/common';
import { createPortalLinkBody, portalLinkResource } from '@app/contracts/portal';
import { defineOperation, tagged } from '../operation.ts';
import { createPortalLink } from '../portal/create-portal-link.ts';

/** A repeated answer lacks the address. */
const created = portalLinkResource
  .partial({ url: true })
  .extend({ secret_notice: secretNotice })
  .meta({ id: 'PortalLinkCreated' });

export const portalLinkOperations = tagged('Portal', [
  defineOperation({
    id: 'createPortalLink',
    audit: 'portal_link',
    method: 'POST',
    path: '/api/v1/portal-links',
    summary: 'Make a link that opens the portal for a buyer',
    description:
      'For a buyer who is logged in to the seller’s own site, or whom the seller helps: no email is sent. The link works ' +
      'once, for 60 minutes. With `subscriptionId` it leads to the card of that subscription alone, and works for 72 hours.',
    auth: 'account',
    scope: 'write',
    alsoScope: 'read',
    body: createPortalLinkBody,
    response: created,
    secret: {
      name: 'url',
      notice: 'The address was shown once, in the first answer. If that got lost, make another link.',
    },
    errors: ['buyer_not_found'],
    run: async ({ app, body, context, ownUrls, baseUrl }) => {
      const { email, subscriptionId = null } = body;
      const wanted = { email, subscriptionId, validUntil: null, baseUrl: ownUrls[0] ?? baseUrl };
      const { url, expiresAt } = await createPortalLink(app, context, wanted);
      return { url, expires_at: expiresAt.toISOString() };
    },
  }),
]);
