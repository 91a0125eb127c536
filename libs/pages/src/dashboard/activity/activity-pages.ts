import type { Pages } from '../frame/visit.ts';
import { showActivity, showDeliveries, showEvents } from './activity.ts';
import { showDelivery, takeDelivery } from './delivery.ts';

export const activityPages: Pages = {
  '/app/activity': { show: showActivity },
  '/app/activity/events': { show: showEvents },
  '/app/activity/deliveries': { show: showDeliveries },
  '/app/activity/deliveries/:id': { show: showDelivery, take: takeDelivery },
};
