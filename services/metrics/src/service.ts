import { defineService } from '@app/service-host/define-service';
import type { MetricsConfig } from './config.ts';
import { databaseOptions } from './db/migrate.ts';
import { factEventHandlers } from './facts/consumers.ts';
import { metricsRequests } from './metrics/requests.ts';
import { overviewRequests } from './overview/requests.ts';
import { retentionRequests } from './retention/requests.ts';

export const createMetrics = defineService<MetricsConfig>({
  name: 'metrics',
  description: 'Sales metrics of products',
  database: databaseOptions,
  start: ({ database, clock }) => ({
    events: factEventHandlers(),
    requests: [
      ...metricsRequests({ database, clock }),
      ...overviewRequests({ database, clock }),
      ...retentionRequests({ database, clock }),
    ],
  }),
});
