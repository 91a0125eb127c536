import * as contract from '@app/contracts/catalog';
import { onRequest, type RequestHandler } from '@app/messaging/serve-requests';
import type { CatalogDeps } from '../deps.ts';
import { createFunnelEmail } from './create-funnel-email.ts';
import { deleteFunnelEmail } from './delete-funnel-email.ts';
import { pushFunnelEmails } from './push-funnel-emails.ts';
import { updateFunnelEmail } from './update-funnel-email.ts';

export function emailRequests(deps: CatalogDeps): RequestHandler[] {
  return [
    onRequest(contract.createFunnelEmail, (input, context) => createFunnelEmail(deps, context, input)),
    onRequest(contract.updateFunnelEmail, (input, context) => updateFunnelEmail(deps, context, input)),
    onRequest(contract.deleteFunnelEmail, (input, context) => deleteFunnelEmail(deps, context, input)),
    onRequest(contract.pushFunnelEmails, (input, context) => pushFunnelEmails(deps, context, input)),
  ];
}
