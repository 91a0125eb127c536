import type { Pages } from '../frame/visit.ts';
import { showOrders } from './orders.ts';

export const ordersPages: Pages = { '/app/orders': { show: showOrders } };
