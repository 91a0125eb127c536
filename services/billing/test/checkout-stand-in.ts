import { followPayments, ordersToCompare } from '@app/contracts/order-comparisons';
import { connectNats } from '@app/messaging/connect';
import { onRequest, serveRequests } from '@app/messaging/serve-requests';
import { silentLogger } from '@app/service-kit/logger';
import type { TestNats } from '@app/testing/nats';
import { apiOrder } from './compared-orders.ts';

/** A checkout to which every order is one that the seller's own code recorded: none differs from its payments. */
export async function startCheckoutStandIn(nats: TestNats): Promise<{ close(): Promise<void> }> {
  const link = await connectNats(nats.login('checkout'));
  const handlers = [
    onRequest(ordersToCompare, async (input) => ({ orders: 'orderIds' in input ? input.orderIds.map(apiOrder) : [] })),
    onRequest(followPayments, async () => ({ failed: [] })),
  ];
  const options = { version: '1.0.0', description: 'stand-in', logger: silentLogger() };
  const server = await serveRequests(link, { ...options, handlers });
  return {
    close: async () => {
      await server.close();
      await link.close();
    },
  };
}
