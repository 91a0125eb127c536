import { defineService } from '@app/service-host/define-service';
import type { CatalogConfig } from './config.ts';
import { databaseOptions } from './db/migrate.ts';
import { discountRequests } from './discounts/requests.ts';
import { emailRequests } from './emails/requests.ts';
import { funnelRequests } from './funnels/requests.ts';
import { offerRequests } from './offers/requests.ts';
import { productRequests } from './products/requests.ts';

export const createCatalog = defineService<CatalogConfig>({
  name: 'catalog',
  description: 'Products and their funnels',
  database: databaseOptions,
  start: ({ database, clock, wakeRelay, requester }) => {
    const deps = { database, clock, wakeRelay, requester };
    return {
      requests: [
        ...productRequests(deps),
        ...offerRequests(deps),
        ...emailRequests(deps),
        ...discountRequests(deps),
        ...funnelRequests(deps),
      ],
    };
  },
});
