import type { Pages } from '../frame/visit.ts';
import { showExplanation, showMetrics, showProductMetrics } from './metrics.ts';

export const metricsPages: Pages = {
  '/app/metrics': { show: showMetrics },
  '/app/metrics/:id': { show: showProductMetrics },
  '/app/metrics/:id/:metric': { show: showExplanation },
};
