import { keyedEmails } from '@app/service-kit/email-keys';

/** The tables whose rows are found by their buyer. */
export const emailKeys = [
  keyedEmails('orders', { email: 'customer_email' }),
  keyedEmails('checkouts'),
  keyedEmails('sold_subscriptions'),
  keyedEmails('reminders'),
  keyedEmails('opt_outs', { id: 'email' }),
];
