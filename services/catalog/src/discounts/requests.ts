import * as contract from '@app/contracts/catalog';
import { type Answer, answer } from '@app/messaging/serve-requests';
import type { CatalogDeps } from '../deps.ts';
import { createDiscount } from './create-discount.ts';
import { deleteDiscount } from './delete-discount.ts';
import { listDiscounts } from './list-discounts.ts';
import { updateDiscount } from './update-discount.ts';

export function discountRequests(deps: CatalogDeps): Answer[] {
  return [
    answer(contract.listDiscounts, (input, { accountId }) => listDiscounts(deps.database, accountId, input)),
    answer(contract.createDiscount, (input, context) => createDiscount(deps, context, input)),
    answer(contract.updateDiscount, (input, context) => updateDiscount(deps, context, input)),
    answer(contract.deleteDiscount, (input, context) => deleteDiscount(deps, context, input)),
  ];
}
