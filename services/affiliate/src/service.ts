import { settingsHandler } from '@app/account-settings/settings-handler';
import { defineService } from '@app/service-host/define-service';
import { affiliateRequests } from './affiliates/requests.ts';
import { commissionEventHandlers } from './commissions/consumers.ts';
import { commissionRequests } from './commissions/requests.ts';
import type { AffiliateConfig } from './config.ts';
import { databaseOptions } from './db/migrate.ts';
import { retention } from './db/retention.ts';
import { payoutRequests } from './payouts/requests.ts';
import { ledgerRequests } from './statements/requests.ts';

export const createAffiliate = defineService<AffiliateConfig>({
  name: 'affiliate',
  description: 'Affiliates, their commissions and payouts',
  database: databaseOptions,
  retention,
  start: ({ database, clock, wakeRelay }) => {
    const deps = { database, clock, wakeRelay };
    return {
      events: [...commissionEventHandlers(clock, wakeRelay), settingsHandler],
      requests: [
        ...affiliateRequests(deps),
        ...commissionRequests(deps),
        ...payoutRequests(deps),
        ...ledgerRequests(deps),
      ],
    };
  },
});
