import * as contract from '@app/contracts/funnels';
import { onRequest, type RequestHandler } from '@app/messaging/serve-requests';
import type { UseCaseDeps } from '@app/service-host/define-service';
import { createOffer, deleteOffer, updateOffer } from './offers.ts';

export function offerRequests(deps: UseCaseDeps): RequestHandler[] {
  return [
    onRequest(contract.createOffer, (input, context) => createOffer(deps, context, input)),
    onRequest(contract.updateOffer, (input, context) => updateOffer(deps, context, input)),
    onRequest(contract.deleteOffer, (input, context) => deleteOffer(deps, context, input)),
  ];
}
