import * as contract from '@app/contracts/subscriptions';
import { onRequest, type RequestHandler } from '@app/messaging/serve-requests';
import { type CardDeps, continuePaymentMethod, putPaymentMethod } from './put-payment-method.ts';

export function cardRequests(deps: CardDeps): RequestHandler[] {
  return [
    onRequest(contract.putPaymentMethod, ({ subscriptionId, body, ...how }, context) =>
      putPaymentMethod(deps, context, subscriptionId, body.paymentMethod, how),
    ),
    onRequest(contract.continuePaymentMethod, ({ subscriptionId, ...how }, context) =>
      continuePaymentMethod(deps, context, subscriptionId, how),
    ),
  ];
}
