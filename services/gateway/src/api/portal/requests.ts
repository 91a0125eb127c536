import { createPortalLink as contract } from '@app/contracts/portal';
import { onRequest, type RequestHandler } from '@app/messaging/serve-requests';
import { createPortalLink, type LinkDeps } from './create-portal-link.ts';

/** What other services request of the gateway. @param baseUrl this deployment's address for links */
export const portalRequests = (deps: LinkDeps, baseUrl: string): RequestHandler[] => [
  onRequest(contract, async ({ email, subscriptionId, validUntil }, context) => {
    const until = validUntil === null ? null : new Date(validUntil);
    const { url, expiresAt } = await createPortalLink(deps, context, {
      email,
      subscriptionId,
      validUntil: until,
      baseUrl,
    });
    return { url, expiresAt: expiresAt.toISOString() };
  }),
];
