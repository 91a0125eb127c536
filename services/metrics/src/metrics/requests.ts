import { getProduct } from '@app/contracts/catalog';
import { getMetrics } from '@app/contracts/metrics';
import type { Requester } from '@app/messaging/requester';
import { onRequest, type RequestHandler } from '@app/messaging/serve-requests';
import type { Clock } from '@app/service-kit/clock';
import type { Database } from '@app/service-kit/database';
import { getRollups } from './get-rollups.ts';
import { assembleMetrics } from './metrics.rules.ts';

/** Catalog says whose product it is, and refuses another account's; the numbers are read meanwhile. */
export function metricsRequests(deps: { database: Database; requester: Requester; clock: Clock }): RequestHandler[] {
  return [
    onRequest(getMetrics, async ({ productId }, { accountId, requestId }) => {
      const [product, rollups] = await Promise.all([
        deps.requester.request(getProduct, { productId }, { accountId, requestId }),
        getRollups(deps.database, accountId, productId),
      ]);
      const about = { id: product.id, name: product.name, pricingType: product.pricing_type };
      return assembleMetrics(about, rollups, deps.clock.now());
    }),
  ];
}
