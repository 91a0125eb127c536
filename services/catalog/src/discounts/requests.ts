import * as contract from '@app/contracts/discounts';
import { onRequest, type RequestHandler } from '@app/messaging/serve-requests';
import type { CatalogDeps } from '../deps.ts';
import { createDiscount } from './create-discount.ts';
import { deleteDiscount, listDiscounts, updateDiscount } from './discounts.ts';

export function discountRequests(deps: CatalogDeps): RequestHandler[] {
  return [
    onRequest(contract.listDiscounts, (input, { accountId }) => listDiscounts(deps.database, accountId, input)),
    onRequest(contract.createDiscount, (input, context) => createDiscount(deps, context, input)),
    onRequest(contract.updateDiscount, (input, context) => updateDiscount(deps, context, input)),
    onRequest(contract.deleteDiscount, (input, context) => deleteDiscount(deps, context, input)),
  ];
}
