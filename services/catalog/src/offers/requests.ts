import * as contract from '@app/contracts/catalog';
import { type Answer, answer, answerAcrossAccounts } from '@app/messaging/serve-requests';
import type { CatalogDeps } from '../deps.ts';
import { createOffer } from './create-offer.ts';
import { deleteOffer } from './delete-offer.ts';
import { resolveOffers } from './resolve-offers.ts';
import { updateOffer } from './update-offer.ts';

export function offerRequests(deps: CatalogDeps): Answer[] {
  return [
    answer(contract.createOffer, (input, context) => createOffer(deps, context, input)),
    answer(contract.updateOffer, (input, context) => updateOffer(deps, context, input)),
    answer(contract.deleteOffer, (input, context) => deleteOffer(deps, context, input)),
    answerAcrossAccounts(contract.resolveOffers, (input) => resolveOffers(deps.database, input)),
  ];
}
