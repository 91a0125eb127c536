import { getOrder, type OrderWithPayments } from '@app/contracts/orders';
import { listOrderPayments } from '@app/contracts/payments';
import type { CallContext, Requester } from '@app/messaging/requester';

/**
 * An order, every attempt to move money for it, oldest first, without the renewals of its subscription, and all disputes. Both services
 * are requested at once, each for the account's own.
 * @throws DomainError order_not_found
 */
export async function readOrder(
  requester: Requester,
  orderId: string,
  context: CallContext,
): Promise<OrderWithPayments> {
  // A refusal is thrown only once both have ended: `order_not_found` counts for more than a billing service that is away.
  const [order, payments] = await Promise.allSettled([
    requester.request(getOrder, { orderId }, context),
    requester.request(listOrderPayments, { orderId }, context),
  ]);
  if (order.status === 'rejected') throw order.reason;
  if (payments.status === 'rejected') throw payments.reason;
  const { data, disputes = [] } = payments.value;
  return { ...order.value, payments: data, disputes: disputes.length === 0 ? null : disputes };
}
