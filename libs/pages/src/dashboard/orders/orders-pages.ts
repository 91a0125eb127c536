import type { Pages } from '../frame/visit.ts';
import { showBuyer } from './buyer.ts';
import { showCheckouts } from './checkouts.ts';
import { showCustomer, showCustomers } from './customers.ts';
import { showOrder } from './order.ts';
import { exportOrders, showOrders, showTestOrders } from './orders.ts';
import { showReceipt, takeReceipt } from './receipt.ts';
import { showNewOrder, takeNewOrder } from './record.ts';
import { showRefund, takeRefund } from './refund.ts';
import { showRelease, takeRelease } from './release.ts';
import { showWithdrawals, takeWithdrawal } from './withdrawals.ts';

export const ordersPages: Pages = {
  '/app/orders': { show: showOrders },
  '/app/orders/customers': { show: showCustomers },
  '/app/orders/customers/:id': { show: showCustomer },
  '/app/orders/checkouts': { show: showCheckouts },
  '/app/orders/test': { show: showTestOrders },
  '/app/orders/withdrawals': { show: showWithdrawals, take: takeWithdrawal },
  '/app/orders/new': { show: showNewOrder, take: takeNewOrder },
  '/app/orders/export': { show: exportOrders },
  '/app/orders/:id': { show: showOrder },
  '/app/orders/:id/receipt': { show: showReceipt, take: takeReceipt },
  '/app/orders/:id/refund': { show: showRefund, take: takeRefund },
  '/app/orders/:id/release': { show: showRelease, take: takeRelease },
  '/app/buyers': { show: showBuyer },
};
