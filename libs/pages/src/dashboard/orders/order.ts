import type { OrderResource } from '@app/contracts/orders';
import type { SubscriptionResource } from '@app/contracts/subscriptions';
import type { DashboardPage, Params, Visit } from '../frame/visit.ts';
import { orderPage } from './order-page.ts';

/** GET of one order: what was bought, and all that happened with it since. */
export async function showOrder(visit: Visit, { id = '' }: Params): Promise<DashboardPage> {
  const query = { orderId: id, limit: 50 };
  const order = visit.read('getOrder', { params: { orderId: id } });
  const [read, deliveries, activity, withdrawals, subscription] = await Promise.all([
    order,
    visit.call('listWebhookDeliveries', { query }),
    visit.call('listActivity', { query }),
    visit.call('listWithdrawals', { query: { status: 'requested', limit: 100 } }),
    order.then((of) => subscriptionOf(visit, of)),
  ]);
  return orderPage({
    order: read,
    deliveries: deliveries.ok ? deliveries.body.data : null,
    activity: activity.ok ? activity.body.data : [],
    withdrawal: withdrawals.ok ? withdrawals.body.data.find(({ order: about }) => about?.id === id) : undefined,
    subscription,
    refund: visit.request.query.get('refund'),
    receipt: visit.request.query.get('receipt'),
    formats: visit.formats,
  });
}

/** The one that the order began. */
async function subscriptionOf(
  visit: Visit,
  order: Omit<OrderResource, 'status'>,
): Promise<SubscriptionResource | null> {
  const query = { email: order.customer_email, productId: order.product_id, limit: 100 };
  const { data } = await visit.read('listSubscriptions', {
    query: order.test ? Object.assign(query, { test: 'true' as const }) : query,
  });
  return data.find(({ order_id }) => order_id === order.id) ?? null;
}
