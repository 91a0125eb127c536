import * as contract from '@app/contracts/funnels';
import { onRequest, type RequestHandler } from '@app/messaging/serve-requests';
import type { UseCaseDeps } from '@app/service-host/define-service';
import { deletePart } from '../products/delete-part.ts';
import { createFunnelEmail, emailPart, updateFunnelEmail } from './funnel-emails.ts';
import { pushFunnelEmails } from './push-funnel-emails.ts';

export function emailRequests(deps: UseCaseDeps): RequestHandler[] {
  return [
    onRequest(contract.createFunnelEmail, (input, context) => createFunnelEmail(deps, context, input)),
    onRequest(contract.updateFunnelEmail, (input, context) => updateFunnelEmail(deps, context, input)),
    onRequest(contract.deleteFunnelEmail, ({ productId, emailId: id }, context) =>
      deletePart(deps.database, context, emailPart, { productId, id }),
    ),
    onRequest(contract.pushFunnelEmails, (input, context) => pushFunnelEmails(deps, context, input)),
  ];
}
