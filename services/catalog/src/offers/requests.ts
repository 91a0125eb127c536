import * as contract from '@app/contracts/catalog';
import { onRequest, onRequestAcrossAccounts, type RequestHandler } from '@app/messaging/serve-requests';
import type { CatalogDeps } from '../deps.ts';
import { createOffer } from './create-offer.ts';
import { deleteOffer } from './delete-offer.ts';
import { resolveOffers } from './resolve-offers.ts';
import { updateOffer } from './update-offer.ts';

export function offerRequests(deps: CatalogDeps): RequestHandler[] {
  return [
    onRequest(contract.createOffer, (input, context) => createOffer(deps, context, input)),
    onRequest(contract.updateOffer, (input, context) => updateOffer(deps, context, input)),
    onRequest(contract.deleteOffer, (input, context) => deleteOffer(deps, context, input)),
    onRequestAcrossAccounts(contract.resolveOffers, (input) => resolveOffers(deps.database, input)),
  ];
}
