import * as contract from '@app/contracts/subscriptions';
import { onRequest, type RequestHandler } from '@app/messaging/serve-requests';
import type { PaymentDeps } from '../charging/payment-deps.ts';
import { createChargeNow } from '../daily-run/charge-now.ts';
import { continuePaymentMethod, putPaymentMethod } from './put-payment-method.ts';

export function cardRequests(payments: PaymentDeps): RequestHandler[] {
  const deps = { ...payments, charge: createChargeNow(payments) };
  return [
    onRequest(contract.putPaymentMethod, ({ subscriptionId, body, ...how }, context) =>
      putPaymentMethod(deps, context, subscriptionId, body.paymentMethod, how),
    ),
    onRequest(contract.continuePaymentMethod, ({ subscriptionId, ...how }, context) =>
      continuePaymentMethod(deps, context, subscriptionId, how),
    ),
  ];
}
