import {
  explainMetric as explainContract,
  getMetrics,
  getMetricSeries as seriesContract,
} from '@app/contracts/metrics';
import { onRequest, type RequestHandler } from '@app/messaging/serve-requests';
import type { Clock } from '@app/service-kit/clock';
import type { Database } from '@app/service-kit/database';
import { getProduct } from '../products/get-product.ts';
import { explainMetric } from './explain-metric.ts';
import { getMetricSeries } from './get-metric-series.ts';
import { getRollups } from './get-rollups.ts';
import { assembleMetrics } from './metrics.rules.ts';

export function metricsRequests(deps: { database: Database; clock: Clock }): RequestHandler[] {
  return [
    onRequest(getMetrics, async ({ productId }, { accountId }) => {
      const [product, rollups] = await Promise.all([
        getProduct(deps, accountId, productId),
        getRollups(deps.database, accountId, productId),
      ]);
      return assembleMetrics(product, rollups, deps.clock.now());
    }),
    onRequest(seriesContract, (input, { accountId }) => getMetricSeries(deps, accountId, input)),
    onRequest(explainContract, (input, { accountId }) => explainMetric(deps, accountId, input)),
  ];
}
