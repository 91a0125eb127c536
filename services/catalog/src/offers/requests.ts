import * as contract from '@app/contracts/funnels';
import { onRequest, type RequestHandler } from '@app/messaging/serve-requests';
import type { PricingDeps } from '../commands/price-for-processor.ts';
import { deletePart } from '../products/delete-part.ts';
import { deleteOfferImage, putOfferImage } from './offer-image.ts';
import { createOffer, getOffer, offerPart, updateOffer } from './offers.ts';

export function offerRequests(deps: PricingDeps): RequestHandler[] {
  return [
    onRequest(contract.getFunnelOffer, (input, { accountId }) => getOffer(deps.database, accountId, input)),
    onRequest(contract.createOffer, (input, context) => createOffer(deps, context, input)),
    onRequest(contract.updateOffer, (input, context) => updateOffer(deps, context, input)),
    onRequest(contract.deleteOffer, ({ productId, kind, offerId: id }, context) =>
      deletePart(deps.database, context, offerPart(kind), { productId, id }),
    ),
    onRequest(contract.putOfferImage, (input, context) => putOfferImage(deps, context, input)),
    onRequest(contract.deleteOfferImage, (input, context) => deleteOfferImage(deps, context, input)),
  ];
}
