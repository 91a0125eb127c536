import type { Pages } from './frame/visit.ts';
import { showHome } from './home/home.ts';
import { showOrders } from './orders/orders.ts';
import { showBusiness, takeBusiness } from './settings/business.ts';

/** Every page for a logged-in seller. Each file of an area adds its own. */
export const dashboardPages: Pages = {
  '/app': { show: showHome },
  '/app/orders': { show: showOrders },
  '/app/settings': { show: showBusiness, take: takeBusiness },
};
