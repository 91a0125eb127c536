import * as contract from '@app/contracts/orders';
import { onRequest, type RequestHandler } from '@app/messaging/serve-requests';
import { type RefundDeps, refundOrder } from './refund-order.ts';

export function refundRequests(deps: RefundDeps): RequestHandler[] {
  return [
    onRequest(contract.refundOrder, ({ orderId, body }, context) => refundOrder(deps, orderId, body ?? {}, context)),
  ];
}
