import type { Pages } from '../frame/visit.ts';
import { showCancel, takeCancel } from './cancel.ts';
import { showCard, takeCard } from './card.ts';
import { showSubscription, takeSubscription } from './subscription.ts';
import {
  exportSubscriptions,
  exportTestSubscriptions,
  showSubscriptions,
  showTestSubscriptions,
} from './subscriptions.ts';

export const subscriptionsPages: Pages = {
  '/app/subscriptions': { show: showSubscriptions },
  '/app/subscriptions/test': { show: showTestSubscriptions },
  '/app/subscriptions/export': { show: exportSubscriptions },
  '/app/subscriptions/test/export': { show: exportTestSubscriptions },
  '/app/subscriptions/:id': { show: showSubscription, take: takeSubscription },
  '/app/subscriptions/:id/cancel': { show: showCancel, take: takeCancel },
  '/app/subscriptions/:id/card': { show: showCard, take: takeCard },
};
