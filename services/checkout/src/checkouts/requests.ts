import { getOffer as getOfferRequest, recordVisit as recordVisitRequest } from '@app/contracts/checkout-offers';
import * as contract from '@app/contracts/checkouts';
import { releaseOrder as releaseOrderRequest } from '@app/contracts/orders';
import * as unfinished from '@app/contracts/unfinished-checkouts';
import { onRequest, onRequestAcrossAccounts, type RequestHandler } from '@app/messaging/serve-requests';
import type { OpeningBound } from './bound-openings.ts';
import type { CheckoutDeps } from './checkout-deps.ts';
import { checkoutOwner } from './checkout-row.ts';
import { continueCheckout } from './continue-checkout.ts';
import { decideUpsell } from './decide-upsell.ts';
import { getCheckout } from './get-checkout.ts';
import { getOffer } from './get-offer.ts';
import { listCheckouts } from './list-checkouts.ts';
import { openCheckout } from './open-checkout.ts';
import { payCheckout } from './pay-checkout.ts';
import { recordVisit } from './record-visit.ts';
import { releaseOrder } from './release-order.ts';
import { restoreCheckout } from './restore-checkout.ts';
import { updateCheckout } from './update-checkout.ts';

/** Buyers act for no account: the secret, or the token of a link, says whose checkout it is. */
export function checkoutRequests(deps: CheckoutDeps, bound: OpeningBound): RequestHandler[] {
  return [
    onRequest(contract.openCheckout, async (input, context) => {
      const opened = await openCheckout(deps, input, context);
      bound.opened(context.accountId);
      return opened;
    }),
    onRequestAcrossAccounts(contract.restoreCheckout, async (input, context) => {
      const { accountId, copy } = await restoreCheckout(deps, input, context);
      bound.opened(accountId);
      return { ...copy, accountId };
    }),
    onRequest(unfinished.listCheckouts, (query, { accountId }) => listCheckouts(deps, accountId, query)),
    onRequest(getOfferRequest, (input, context) => getOffer(deps, input, context)),
    onRequest(recordVisitRequest, (input, context) => recordVisit(deps, input, context)),
    onRequest(releaseOrderRequest, ({ orderId }, context) => releaseOrder(deps, orderId, context)),
    onRequestAcrossAccounts(contract.getCheckout, (buyer, { requestId }) => getCheckout(deps, buyer, requestId)),
    onRequestAcrossAccounts(contract.updateCheckout, (input, { requestId }) => updateCheckout(deps, input, requestId)),
    onRequestAcrossAccounts(contract.payCheckout, (input, context) => payCheckout(deps, input, context)),
    onRequestAcrossAccounts(contract.continueCheckout, (buyer, context) => continueCheckout(deps, buyer, context)),
    onRequestAcrossAccounts(contract.decideUpsell, (input, context) => decideUpsell(deps, input, context)),
    onRequestAcrossAccounts(contract.checkoutOwner, (buyer) => checkoutOwner(deps.database, buyer)),
  ];
}
