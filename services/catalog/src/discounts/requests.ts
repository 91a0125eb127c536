import * as contract from '@app/contracts/discounts';
import { onRequest, type RequestHandler } from '@app/messaging/serve-requests';
import type { UseCaseDeps } from '@app/service-host/define-service';
import { deletePart } from '../products/delete-part.ts';
import { createDiscount } from './create-discount.ts';
import { discountPart, getDiscount, listDiscounts, updateDiscount } from './discounts.ts';

export function discountRequests(deps: UseCaseDeps): RequestHandler[] {
  return [
    onRequest(contract.listDiscounts, (input, { accountId }) => listDiscounts(deps.database, accountId, input)),
    onRequest(contract.getDiscount, (input, { accountId }) => getDiscount(deps.database, accountId, input)),
    onRequest(contract.createDiscount, (input, context) => createDiscount(deps, context, input)),
    onRequest(contract.updateDiscount, (input, context) => updateDiscount(deps, context, input)),
    onRequest(contract.deleteDiscount, ({ productId, discountId: id }, context) =>
      deletePart(deps.database, context, discountPart, { productId, id }),
    ),
  ];
}
