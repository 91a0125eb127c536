import { keyedEmails } from '@app/service-kit/email-keys';
import { addCustomers } from '../customers/add-customers.ts';

/** The tables whose rows are found by their buyer. */
export const emailKeys = [
  keyedEmails('orders', { email: 'customer_email' }, addCustomers),
  keyedEmails('checkouts'),
  keyedEmails('sold_subscriptions'),
  keyedEmails('reminders'),
  keyedEmails('opt_outs', { id: 'email' }),
];
