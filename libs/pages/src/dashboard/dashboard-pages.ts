import { activityPages } from './activity/activity-pages.ts';
import { affiliatesPages } from './affiliates/affiliates-pages.ts';
import { dailyJobPages } from './daily-job/daily-job-pages.ts';
import type { Pages } from './frame/visit.ts';
import { homePages } from './home/home-pages.ts';
import { integrationsPages } from './integrations/integrations-pages.ts';
import { metricsPages } from './metrics/metrics-pages.ts';
import { ordersPages } from './orders/orders-pages.ts';
import { productsPages } from './products/products-pages.ts';
import { searchPages } from './search/search-pages.ts';
import { settingsPages } from './settings/settings-pages.ts';
import { subscriptionsPages } from './subscriptions/subscriptions-pages.ts';

/** Every page for a logged-in seller, by the parts of the menu. */
export const dashboardPages: Pages = Object.assign(
  {},
  activityPages,
  affiliatesPages,
  dailyJobPages,
  homePages,
  integrationsPages,
  metricsPages,
  ordersPages,
  productsPages,
  searchPages,
  settingsPages,
  subscriptionsPages,
);
