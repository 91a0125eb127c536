import { keyedEmails } from '@app/service-kit/email-keys';

/** The tables whose rows are found by their buyer. */
export const emailKeys = [
  keyedEmails('payments', { email: 'customer_email' }),
  keyedEmails('subscriptions', { email: 'customer_email' }),
];
