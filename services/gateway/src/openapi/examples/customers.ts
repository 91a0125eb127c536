import { order } from './orders.ts';

const customer = {
  id: 'cus_6zq4n8r2t5v9x1c3e7g0j4m8p2',
  email: order.customer_email,
  name: order.customer_name,
  orders: 2,
  spent: [{ currency: 'usd', amount_cents: 12500 }],
  active_subscriptions: 1,
  first_purchase_at: '2026-10-31T09:30:12.345Z',
  last_purchase_at: order.created_at,
};

/** Of customers, by operation. */
export const customerExamples = {
  listCustomers: { response: { data: [customer] } },
  getCustomer: { response: customer },
};
