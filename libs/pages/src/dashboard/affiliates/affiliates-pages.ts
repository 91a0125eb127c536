import type { Pages } from '../frame/visit.ts';
import { exportStatement, showAffiliate, showCommissions } from './affiliate.ts';
import { showAffiliates } from './affiliates.ts';
import { showEdit, showNew, takeEdit, takeNew } from './edit.ts';
import { showPayout, takePayout } from './payout.ts';
import { showPayouts } from './payouts.ts';

export const affiliatesPages: Pages = {
  '/app/affiliates': { show: showAffiliates },
  '/app/affiliates/new': { show: showNew, take: takeNew },
  '/app/affiliates/payouts': { show: showPayouts },
  '/app/affiliates/code/:code': { show: showAffiliate },
  '/app/affiliates/code/:code/commissions': { show: showCommissions },
  '/app/affiliates/code/:code/edit': { show: showEdit, take: takeEdit },
  '/app/affiliates/code/:code/export': { show: exportStatement },
  '/app/affiliates/code/:code/payout': { show: showPayout, take: takePayout },
};
